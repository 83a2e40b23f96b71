import { Decimal } from '../../parser/values/amount.js';
import { sleep } from '../deliver.js';

/** Amounts by currency. */
export type Amounts = ReadonlyMap<string, Decimal>;

export const amountIn = (amounts: Amounts, currency: string): Decimal =>
  amounts.get(currency) ?? new Decimal(0);

export function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0));
}

/** Describes changes: `+20.75 EUR`. */
export function describeChanges(changes: Amounts): string {
  const texts = [...changes].map(([code, sum]) => `${sum.gt(0) ? '+' : ''}${sum} ${code}`);
  return texts.join(', ') || 'no change';
}

/** Reads a value again and again until it is what is awaited, or this time is over. */
export async function poll<T>(
  reading: () => Promise<T>,
  isDone: (value: T) => boolean | Promise<boolean>,
  forMs: number,
  leastReadings = 15,
): Promise<T> {
  const until = Date.now() + forMs;
  // A handler that answers before it settles usually needs a few milliseconds more. If it needs
  // longer, the pauses grow.
  let pauseMs = 1;
  // On a machine that was suspended or busy, the time may be over though the handler hardly ran.
  // So there are at least so many readings, or one for each millisecond of a shorter time.
  for (let left = Math.min(forMs, leastReadings); ; left -= 1) {
    const value = await reading();
    if ((await isDone(value)) || (left <= 0 && Date.now() >= until)) return value;
    await sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, 100);
  }
}
