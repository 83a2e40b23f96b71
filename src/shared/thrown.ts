/** How much of a message is logged and saved, in characters. */
const MAX_MESSAGE = 300;
const MAX_CAUSE = 100;

/**
 * Returns the message of what was thrown, with its cause: `fetch failed: connect ECONNREFUSED`.
 * Only a line of each, and at most 300 characters: a database's driver may put all values of a
 * statement into its message, and they are customers' addresses and whole bodies.
 */
export function messageOf(thrown: unknown): string {
  try {
    const { cause } = Object(thrown);
    const because = cause === undefined || cause === null ? '' : cut(firstLineOf(cause), MAX_CAUSE);
    const message = firstLineOf(thrown);
    if (message.includes(because)) return cut(message, MAX_MESSAGE);
    return `${cut(message, MAX_MESSAGE - 2 - because.length)}: ${because}`;
  } catch {
    return 'an error that has no readable message';
  }
}

/** If several addresses of a host refuse, the error of Node.js has a code and no message. */
function describeThrown(thrown: unknown): string {
  const { message, code, name } = Object(thrown);
  return String(message || '').trim() || String(code || name || thrown);
}

/** The first line. Some drivers begin with what they were called with, and end with what failed. */
function firstLineOf(thrown: unknown): string {
  const lines = describeThrown(thrown)
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first = ''] = lines;
  return first.endsWith(':') && lines.length > 1 ? `${first} ${lines.at(-1)}` : first;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
