/** Control and invisible characters, lone surrogates among them: pasted into a terminal, some would be typed keys. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * A command for bash or zsh that posts a body, whatever it holds: no file is read for it, and nothing in it is
 * run. Null for a body with a NUL, which no argument can have.
 */
export function toCurl(body: string, url: string): string | null {
  if (body.includes('\0')) return null;
  const quoted = UNPRINTABLE.test(body) ? `$'${[...body].map(escape).join('')}'` : quote(body);
  return `curl --data-raw ${quoted} -H 'content-type: application/json' ${url}\n`;
}

function quote(body: string): string {
  return `'${body.replaceAll("'", "'\\''")}'`;
}

/** By its bytes, in octal, which no following digit can lengthen. A `!` would recall an earlier command. */
function escape(char: string): string {
  if (!UNPRINTABLE.test(char) && !/['\\!]/.test(char)) return char;
  const bytes = new TextEncoder().encode(char);
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
