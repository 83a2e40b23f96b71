import { createHash } from 'node:crypto';

// Bodies as lines of a file: digest, time, and the body in base64. The remains of a write that was cut off
// (by a kill, a full disk) don't match their digest; and since a line also begins with a newline, they
// can't spoil the next one.

/** @param {Uint8Array} body */
export function lineOf(body) {
  const time = new Date().toISOString();
  return `\n${digestOf(body)} ${time} ${Buffer.from(body).toString('base64')}\n`;
}

/** The bodies of the whole lines, each once, the oldest first, and the torn lines. @param {string} text */
export function readLines(text) {
  /** @type {Map<string, Buffer>} */
  const bodies = new Map();
  /** @type {string[]} */
  const torn = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const body = Buffer.from(line.split(' ')[2] ?? '', 'base64');
    const digest = digestOf(body);
    if (line.startsWith(digest)) bodies.set(digest, body);
    else torn.push(line);
  }
  return { bodies: [...bodies.values()], torn };
}

/** @param {Uint8Array} body */
function digestOf(body) {
  return createHash('sha256').update(body).digest('hex');
}
