import type { Judged } from '../inspect/judgement.js';

/** The last so many deposits are remembered, or twice as many. All would take all memory. */
const REMEMBERED = 10_000;

/**
 * Creates a function that finds deposits which report one transaction as two events, as after a
 * reorganization. It remembers accepted deposits, and returns the place of the first one with
 * the same transaction, address and amount, if that has another identifier; null otherwise.
 */
export function createTwinFinder(): (
  judged: Pick<Judged, 'judgement' | 'reading'>,
  place: string,
) => string | null {
  let newer = new Map<string, { readonly key: string; readonly place: string }>();
  let older = newer;
  return ({ judgement, reading }, place) => {
    const { idempotencyKey: key } = judgement;
    const notification = reading?.notification;
    if (key === null || notification?.type !== 'deposit.received') return null;
    const { transactionId, depositAddress, depositCurrency, actualDepositAmount } = notification;
    if (transactionId === null || depositAddress === null) return null;
    const amount = `${actualDepositAmount} ${depositCurrency}`;
    const transaction = JSON.stringify([transactionId, depositAddress, amount]);
    const known = newer.get(transaction) ?? older.get(transaction);
    if (known !== undefined) return known.key === key ? null : known.place;
    if (newer.size === REMEMBERED) [older, newer] = [newer, new Map()];
    newer.set(transaction, { key, place });
    return null;
  };
}
