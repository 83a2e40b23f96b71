import { deliver } from 'payment-notifications/testing';
import { clock, percentile } from '../pipeline/send.js';

/** @import { Random } from '../../test/fuzz/random.js' */
/** @import { DeliveryRequest, EndpointResponse } from 'payment-notifications/testing' */
/** @import { Server } from './engines.js' */

/** How many deliveries are under way at once. */
export const AT_ONCE = 32;

/** Like the service, but sooner: a process that was killed is back within a second. */
const RETRY = { intervalMs: 250, durationMs: 60_000 };

/**
 * @typedef {object} Load What came of many deliveries.
 * @property {number} deliveries
 * @property {number} undelivered
 * @property {number} retries
 * @property {number} seconds
 * @property {number} p50 Time to an answer that counted as success, in milliseconds.
 * @property {number} p99
 * @property {Map<string, number>} answers How often each was given, with its status.
 */

/**
 * Delivers bodies to several processes, each body until it is answered as it should be; to the one
 * process or, if that was killed, to the one that was started in its place.
 *
 * @param {{ body: string | Uint8Array, status: number }[]} bodies With the status to wait for.
 * @param {Server[]} merchants
 * @param {Random} random
 * @param {(() => Promise<void>)[]} [disturbances] One after the other, spread over the deliveries.
 * @param {typeof RETRY | null} [retry] Null: each body comes once.
 * @returns {Promise<Load>}
 */
export async function deliverAll(bodies, merchants, random, disturbances = [], retry = RETRY) {
  /** @type {number[]} */
  const times = [];
  /** @type {Map<string, number>} */
  const answers = new Map();
  let undelivered = 0;
  let retries = 0;
  let next = 0;
  const every = Math.floor(bodies.length / (disturbances.length + 1));
  const ahead = [...disturbances];
  let disturbing = Promise.resolve();

  async function work() {
    for (let item = bodies[next++]; item !== undefined; item = bodies[next++]) {
      if (next % every === 0) disturbing = disturbing.then(ahead.shift());
      const { status } = item;
      const { delivered, attempts } = await deliver(item.body, {
        url: 'http://merchant/callbacks',
        fetch: toCurrent(merchants, random.below(merchants.length)),
        retry,
        clock,
        timeoutMs: 10_000,
        isSuccess: (/** @type {EndpointResponse} */ answer) => answer.status === status,
      });
      if (!delivered) undelivered += 1;
      retries += attempts.length - 1;
      for (const { success, durationMs, answer } of attempts) {
        if (success) times.push(durationMs);
        const name = answer === null ? 'none' : `${answer.status} ${answer.body}`;
        answers.set(name, (answers.get(name) ?? 0) + 1);
      }
    }
  }

  const start = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await disturbing;
  const seconds = (performance.now() - start) / 1000;
  return {
    deliveries: bodies.length,
    undelivered,
    retries,
    seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    answers,
  };
}

/** @param {Server[]} merchants @param {number} index */
function toCurrent(merchants, index) {
  return async (/** @type {string} */ _url, /** @type {DeliveryRequest} */ request) => {
    const merchant = merchants[index];
    // A port of the dead may be somebody else's by now.
    if (!merchant?.isRunning()) throw new Error('not running');
    return fetch(merchant.url, /** @type {RequestInit} */ (request));
  };
}
