import { Decimal } from '../../parser/values/amount.js';
import { sleep } from '../deliver.js';
import { type HandlerTestsOptions, readBalance } from './options.js';

/** Amounts by currency. */
export type Amounts = ReadonlyMap<string, Decimal>;

/** The balances that a test expects, in each currency that it watches. */
export class Balances {
  readonly #options: HandlerTestsOptions;
  readonly expected: Map<string, Decimal> = new Map();

  constructor(options: HandlerTestsOptions) {
    this.#options = options;
  }

  /** Reads the balances in more currencies. Changes count from there. */
  async watch(currencies: readonly string[]): Promise<void> {
    const codes = new Set(currencies.filter((code) => !this.expected.has(code)));
    const readOne = async (code: string): Promise<unknown> =>
      this.expected.set(code, await readBalance(this.#options, code));
    await Promise.all([...codes].map(readOne));
  }

  /** The differences between the balances and the expected ones, without zeros. */
  async changes(): Promise<Amounts> {
    const changes = [...this.expected].map(async ([code, before]) => {
      const now = await readBalance(this.#options, code);
      return [code, now.minus(before)] as const;
    });
    return new Map((await Promise.all(changes)).filter(([, change]) => !change.isZero()));
  }

  /** Adds changes to the expected balances. */
  add(changes: Amounts): void {
    for (const [code, change] of changes) {
      this.expected.set(code, amountIn(this.expected, code).plus(change));
    }
  }
}

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
