// Delivers bodies in copies, with odd headers, and at the limit of their length: for every handler.
import { gzipSync } from 'node:zlib';
import { deliver, depositReceivedBody } from 'payment-notifications/testing';

/**
 * The service documents none, so what they say must change nothing.
 *
 * @type {Record<string, string>[]}
 */
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

/** Kept unchanged: bodies are not decompressed. */
export const GZIPPED = gzipSync(depositReceivedBody());

/** Of the package, in bytes. */
export const LIMIT = 65_536;

/** A valid body of this length. @param {number} length */
export function bodyOfLength(length) {
  return depositReceivedBody({ clientPaymentId: 'long' }, { seed: 64 }).padEnd(length);
}

/**
 * The status that a posted body is answered with.
 *
 * @param {string} url
 * @param {string | Uint8Array} body
 * @param {Record<string, string>} [headers]
 */
export async function statusOf(url, body, headers = {}) {
  const bytes = new Uint8Array(Buffer.from(body));
  return (await fetch(url, { method: 'POST', body: bytes, headers })).status;
}

/**
 * What several servers answer, each of which gets every copy at once.
 *
 * @param {{ url: string }[]} servers
 * @param {string} body
 */
export async function answersOf(servers, body, copies = 1) {
  const deliveries = await Promise.all(servers.map(({ url }) => deliver(body, { url, copies })));
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  return attempts.map(({ answer }) => `${answer?.status} ${answer?.body}`).sort();
}
