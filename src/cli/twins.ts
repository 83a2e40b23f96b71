import type { Judged } from '../inspect/judgement.js';

/** So many deposits are remembered, and then forgotten. An archive would take all memory. */
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
    if (first.size === MAX_REMEMBERED) first.clear();
    first.set(transaction, { key, place });
    return null;
  };
}
