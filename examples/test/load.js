import { nothingSent, percentile, send } from '../pipeline/send.js';

/** @import { Random } from '../../test/fuzz/random.js' */
/** @import { DeliveryRequest } from 'payment-notifications/testing' */
/** @import { Parcel } from '../pipeline/send.js' */
/** @import { Server } from './engines.js' */

/** Sooner than the service: a process that was killed is back within a second. */
const RETRY = { intervalMs: 250, durationMs: 60_000 };

/** @typedef {Awaited<ReturnType<typeof deliverAll>>} Load What came of many deliveries. */

/**
 * Delivers bodies to several processes, each body until it is answered as it should be; to the one
 * process or, if that was killed, to the one that was started in its place.
 *
 * @param {Parcel[]} bodies
 * @param {Server[]} merchants
 * @param {Random} random
 * @param {(() => Promise<void>)[]} [disturbances] One after the other, spread over the deliveries.
 * @param {typeof RETRY | null} [retry] Null: each body comes once.
 */
export async function deliverAll(bodies, merchants, random, disturbances = [], retry = RETRY) {
  const every = Math.floor(bodies.length / (disturbances.length + 1));
  const ahead = [...disturbances];
  let disturbing = Promise.resolve();
  function* disturbed() {
    for (const [index, body] of bodies.entries()) {
      if ((index + 1) % every === 0) disturbing = disturbing.then(ahead.shift());
      yield body;
    }
  }
  const endpoint = () => ({
    url: 'http://merchant/callbacks',
    fetch: toCurrent(merchants, random.below(merchants.length)),
    retry,
  });

  const sent = nothingSent();
  const start = performance.now();
  await send(disturbed(), endpoint, sent);
  await disturbing;
  return {
    deliveries: bodies.length,
    undelivered: bodies.length - sent.answered,
    retries: sent.retries,
    seconds: (performance.now() - start) / 1000,
    /** Time to an answer that counted as success, in milliseconds. */
    p50: percentile(sent.answerMs, 0.5),
    p99: percentile(sent.answerMs, 0.99),
    answers: sent.answers,
  };
}

/** @param {Server[]} merchants @param {number} index */
function toCurrent(merchants, index) {
  return async (/** @type {string} */ _url, /** @type {DeliveryRequest} */ request) => {
    const merchant = merchants[index];
    // A port of the dead may be another program's by now.
    if (!merchant?.isRunning()) throw new Error('not running');
    return fetch(merchant.url, /** @type {RequestInit} */ (request));
  };
}
