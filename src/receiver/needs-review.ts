/** All copies of this package in a process share this symbol. */
const BRAND = Symbol.for('payment-notifications.NeedsReview');

/**
 * Throw this if someone must look at an event before money moves, such as for an order that you
 * don't know. The receiver saves the body and the reason in `review`, and answers with success.
 *
 * Like any error, it rolls back the transaction in which it is thrown.
 *
 * @example
 * ```ts
 * if (status !== 'COMPLETED') throw new NeedsReview(`the withdrawal is ${status}`);
 * ```
 */
export class NeedsReview extends Error {
  static {
    // biome-ignore lint/complexity/noThisInStatic: else the build renames the class in logs.
    const { prototype } = this;
    Object.defineProperty(prototype, BRAND, { value: true });
    Object.defineProperty(prototype, 'name', { value: 'NeedsReview' });
  }

  declare readonly name: 'NeedsReview';

  /** @param reason - For whoever decides, such as `the order is unknown`. */
  constructor(reason: string) {
    super(reason);
  }
}

/** Unlike `instanceof`, also recognizes one of another copy of the package. */
export function isNeedsReview(value: unknown): value is NeedsReview {
  return typeof value === 'object' && value !== null && BRAND in value;
}
