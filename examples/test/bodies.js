// Delivers bodies in copies, with odd headers, and at the limit of their length: for every handler.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { deliver, depositReceivedBody } from 'payment-notifications/testing';

/** The service documents none, so what they say must change nothing. @type {Record<string, string>[]} */
export const ODD_HEADERS = [
  ...['utf-8', 'zstd', 'gzip', 'deflate', 'br', 'compress', 'identity', 'GZIP, aws-chunked'].map(
    (encoding) => ({ 'content-encoding': encoding }),
  ),
  ...['latin1', 'utf-16', 'nonsense', ''].map((charset) => ({
    'content-type': `application/json; charset=${charset}`,
  })),
  ...['', ' ', 'none', '/', 'text/plain', 'application/x-www-form-urlencoded'].map((type) => ({
    'content-type': type,
  })),
  { 'content-type': 'multipart/form-data; boundary=x', 'content-encoding': 'gzip' },
  { accept: 'image/png', 'accept-charset': 'latin1', 'content-language': '%' },
];

/** Kept as it came: nothing is inflated. */
export const GZIPPED = gzipSync(depositReceivedBody());

/** Of the package, in bytes. */
export const LIMIT = 65_536;

/** A valid body of this length. @param {number} length */
export function bodyOfLength(length) {
  const body = depositReceivedBody({ clientPaymentId: 'long' }, { seed: 64 });
  return body.padEnd(length, ' ');
}

/** The status that a posted body is answered with. @param {string} url @param {string | Uint8Array} body @param {Record<string, string>} [headers] */
export async function statusOf(url, body, headers = {}) {
  const bytes = new Uint8Array(Buffer.from(body));
  return (await fetch(url, { method: 'POST', body: bytes, headers })).status;
}

/**
 * What several servers answer, each of which gets every copy at once.
 *
 * @param {string[]} urls
 * @param {string} body
 */
export async function answersOf(urls, body, copies = 1) {
  const deliveries = await Promise.all(urls.map((url) => deliver(body, { url, copies })));
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  return attempts.map(({ answer }) => `${answer?.status} ${answer?.body}`).sort();
}

/**
 * Holds a server to the limit: a body up to it is taken, one beyond it answered with 413, and logged.
 *
 * @param {Awaited<ReturnType<typeof import('./server.js').startServer>>} server
 * @param {string} [url]
 */
export async function assertLimit(server, url = server.url) {
  assert.equal(await statusOf(url, bodyOfLength(LIMIT)), 200);
  const logged = server.printed.length;
  assert.equal(await statusOf(url, bodyOfLength(LIMIT + 1)), 413);
  const isLogged = () =>
    server.printed.slice(logged).some((line) => /too large|at most 65536 bytes/.test(line));
  for (let tries = 0; !isLogged() && tries < 500; tries += 1) await sleep(10);
  assert(isLogged(), `not in the log: ${server.printed.slice(logged).join('\n')}`);
}
