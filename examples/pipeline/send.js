import { deliver } from 'payment-notifications/testing';

/** How many deliveries are under way at once. */
export const AT_ONCE = 32;

/** Like the service, but sooner, and until it is answered as it should be. */
const RETRY = { intervalMs: 250, durationMs: 3_600_000 };

/** @typedef {{ body: string | Uint8Array, status: number }} Parcel A body, and the answer to wait for. */

/** Counts of deliveries. */
export const nothingSent = () => ({
  answered: 0,
  retries: 0,
  /** From the start of a request to the end of the answer that was waited for. @type {number[]} */
  answerMs: [],
  /** How often each was given, with its status. @type {Map<string, number>} */
  answers: new Map(),
});

/**
 * Delivers bodies, many at once, and counts what comes of them.
 *
 * @param {IterableIterator<Parcel>} parcels
 * @param {() => import('payment-notifications/testing').DeliverOptions} endpoint Of the next delivery.
 * @param {ReturnType<typeof nothingSent>} sent
 */
export async function send(parcels, endpoint, sent) {
  async function work() {
    for (const { body, status } of parcels) {
      const { delivered, attempts } = await deliver(body, {
        retry: RETRY,
        isSuccess: (answer) => answer.status === status,
        ...endpoint(),
      });
      if (delivered) sent.answered += 1;
      sent.retries += attempts.length - 1;
      for (const { success, durationMs, answer } of attempts) {
        if (success) sent.answerMs.push(durationMs);
        const name = answer === null ? 'none' : `${answer.status} ${answer.body}`;
        sent.answers.set(name, (sent.answers.get(name) ?? 0) + 1);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** One after the other. @param {string[]} urls */
export function inTurn(urls) {
  let next = 0;
  return () => ({ url: urls[next++ % urls.length] ?? '' });
}

/** @param {number[]} times @param {number} part */
export function percentile(times, part) {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;
}
