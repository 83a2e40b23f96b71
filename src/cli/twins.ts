import type { Judged } from '../inspect/judgement.js';

/** How many deposits are remembered. Without a limit, an archive would take all memory. */
const MAX_REMEMBERED = 10_000;

/**
 * Creates a function that finds deposits which report one transaction as two events, as after a
 * reorganization. It remembers each accepted deposit, and returns the place of the first one with
 * the same transaction, address and amount, if that has another identifier; null otherwise.
 */
export function createTwinFinder(): (
  judged: Pick<Judged, 'judgement' | 'reading'>,
  place: string,
) => string | null {
  const first = new Map<string, { readonly key: string; readonly place: string }>();
  // A ring, because to find the oldest key of a map takes long after many were deleted.
  const remembered: string[] = [];
  let next = 0;
  return ({ judgement, reading }, place) => {
    const { idempotencyKey: key } = judgement;
    const notification = reading?.notification;
    if (key === null || notification?.type !== 'deposit.received') return null;
    const { transactionId, depositAddress, depositCurrency, actualDepositAmount } = notification;
    if (transactionId === null || depositAddress === null) return null;
    const amount = `${actualDepositAmount} ${depositCurrency}`;
    const transaction = JSON.stringify([transactionId, depositAddress, amount]);
    const known = first.get(transaction);
    if (known !== undefined) return known.key === key ? null : known.place;
    first.set(transaction, { key, place });
    const oldest = remembered[next];
    if (oldest !== undefined) first.delete(oldest);
    remembered[next] = transaction;
    next = (next + 1) % MAX_REMEMBERED;
    return null;
  };
}
