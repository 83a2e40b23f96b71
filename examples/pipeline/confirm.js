import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { movesOf } from '../merchant/ledger.js';

/** A body that no settler can settle would otherwise fill the stream. */
const MAX_APPENDS = 5;

/**
 * Compares what a receiver keeps with the ledger, and appends again to the stream what that lacks.
 *
 * @param {object} parts
 * @param {import('../merchant/database.js').Query} parts.query
 * @param {() => Promise<boolean>} parts.isBehind Whether bodies still wait in the stream.
 * @param {(body: Buffer) => Promise<unknown>} parts.append
 */
export function createConfirmation({ query, isBehind, append }) {
  /** Whether the ledger has them all. @param {Buffer[]} bodies @param {number} lacked How often it had not. */
  return async function areSettled(bodies, lacked) {
    const unsettled = await findUnsettled(query, bodies);
    if (unsettled.length === 0) return true;
    // It may be one of those that wait: a second copy would not help them.
    if (await isBehind()) throw new Error('the settlers are behind');
    if (lacked >= MAX_APPENDS) {
      console.error(`Kept: ${unsettled.length} bodies, not settled after ${MAX_APPENDS} appends`);
      return false;
    }
    console.error(`Appended again: ${unsettled.length} bodies that the ledger doesn't have`);
    for (const body of unsettled) await append(body);
    return false;
  };
}

/**
 * Which of these bodies the ledger knows nothing of: it has neither booked what they say nor holds
 * them for a person. It is only read, so a receiver's database user needs no right to write.
 *
 * @param {import('../merchant/database.js').Query} query
 * @param {Buffer[]} bodies
 */
async function findUnsettled(query, bodies) {
  const claims = bodies.map((body) => {
    const { notification } = safeParseNotification(body);
    return {
      body,
      digest: createHash('sha256').update(body).digest('hex'),
      key: notification ? idempotencyKey(notification) : '',
      moves: notification && movesOf(notification),
    };
  });
  const keys = claims.map(({ key }) => key);
  const events = await query('SELECT key, moves FROM event WHERE key = ANY($1)', [keys]);
  const booked = new Map(events.map(({ key, moves }) => [key, moves]));
  const digests = claims.map(({ digest }) => Buffer.from(digest, 'hex'));
  const rows = await query(
    `SELECT encode(digest, 'hex') AS digest FROM held WHERE digest = ANY($1)`,
    [digests],
  );
  const held = new Set(rows.map(({ digest }) => digest));
  return claims
    .filter(({ digest, key, moves }) => {
      const isBooked = booked.has(key) && isDeepStrictEqual(booked.get(key), moves);
      return !isBooked && !held.has(digest);
    })
    .map(({ body }) => body);
}
