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
      console.error(
        `Kept: ${unsettled.length} bodies that are not settled, appended ${lacked} times`,
      );
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
export async function findUnsettled(query, bodies) {
  const claims = bodies.map((body) => {
    const { notification } = safeParseNotification(body);
    const key = notification ? idempotencyKey(notification) : null;
    const digest = createHash('sha256').update(body).digest('hex');
    return { body, digest, key, moves: notification && movesOf(notification) };
  });
  const events = await query('SELECT key, moves FROM event WHERE key = ANY($1)', [
    claims.map(({ key }) => key).filter(Boolean),
  ]);
  const booked = new Map(events.map(({ key, moves }) => [key, moves]));
  const rows = await query(
    `SELECT encode(digest, 'hex') AS digest FROM held
     WHERE digest IN (SELECT decode(hex, 'hex') FROM unnest($1::text[]) AS hex)`,
    [claims.map(({ digest }) => digest)],
  );
  const held = new Set(rows.map(({ digest }) => digest));
  return claims
    .filter(({ digest, key, moves }) => {
      const isBooked = key !== null && isDeepStrictEqual(booked.get(key), moves);
      return !isBooked && !held.has(digest);
    })
    .map(({ body }) => body);
}
