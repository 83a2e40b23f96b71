/** All copies of this package in a process share this symbol. */
const REVIEW_BRAND = Symbol.for('payment-notifications.NeedsReview');

/**
 * Throw this if someone must look at an event before money moves, such as for an order that you
 * don't know. The receiver saves the webhook and the reason in `review`, and answers with success.
 *
 * Like any error, it rolls back the transaction in which it is thrown, with the key that you
 * inserted. Your function may run at the same time for the same event, so only the key in the
 * transaction decides whether the event is settled, and no check before it.
 *
 * It may be the `cause` of another error. A helper that repeats a failed transaction must not
 * repeat this error.
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
  [REVIEW_BRAND]: { value: true },
  name: { value: 'NeedsReview' },
});

/**
 * Returns the NeedsReview that was thrown, or that caused what was thrown: database clients may
 * wrap what ends a transaction. Unlike `instanceof`, also recognizes one of another copy of the
 * package.
 */
export function needsReviewIn(thrown: unknown): NeedsReview | null {
  try {
    // An error may be its own cause.
    for (const seen = new Set(); Object(thrown) === thrown && !seen.has(thrown); ) {
      const { [REVIEW_BRAND]: isOurs, cause } = thrown as NeedsReview & {
        readonly [REVIEW_BRAND]?: unknown;
      };
      if (isOurs === true) return thrown as NeedsReview;
      seen.add(thrown);
      thrown = cause;
    }
  } catch {
    // a getter that throws, or a revoked proxy
  }
  return null;
}
