/** All copies of this package in a process share this symbol. */
const BRAND = Symbol.for('payment-notifications.NeedsReview');

/**
 * Throw this if someone must look at an event before money moves, such as for an order that you
 * don't know. The receiver saves the body and the reason in `review`, and answers with success.
 *
 * Like any error, it rolls back the transaction in which it is thrown. A helper that repeats a
 * failed transaction must not repeat this error.
 *
 * @example
 * ```ts
 * if (status !== 'COMPLETED') throw new NeedsReview(`the withdrawal is ${status}`);
 * ```
 */
export class NeedsReview extends Error {
  declare readonly name: 'NeedsReview';

  /** @param reason - Why someone must decide, such as `the order is unknown`. */
  constructor(reason: string, options?: { readonly cause?: unknown }) {
    super(reason, options);
  }
}

// On the prototype, as in `NotificationError`.
Object.defineProperties(NeedsReview.prototype, {
  [BRAND]: { value: true },
  name: { value: 'NeedsReview' },
});

/** Unlike `instanceof`, also recognizes an error of another copy of the package. */
export function isNeedsReview(value: unknown): value is NeedsReview {
  try {
    return Object(value)[BRAND] === true;
  } catch {
    return false; // a revoked proxy
  }
}
