import { setTimeout as sleep } from 'node:timers/promises';
import { deliver } from 'payment-notifications/testing';

/** Like the service, but sooner, and until it is answered as it should be. */
const RETRY = { intervalMs: 250, durationMs: 3_600_000 };

/** To a fraction of a millisecond, which Date.now doesn't tell. */
export const clock = {
  now: () => performance.timeOrigin + performance.now(),
  /** @param {number} milliseconds @returns {Promise<void>} */
  sleep: async (milliseconds) => {
    await sleep(Math.max(0, milliseconds));
  },
};

/** @typedef {{ body: string | Uint8Array, status: number }} Parcel A body, and the answer to wait for. */

/** @typedef {ReturnType<typeof createSender>} Sender */

/** A sender that counts. */
export function createSender() {
  const sent = {
    answered: 0,
    retries: 0,
    /** From the start of a request to the end of the answer that was waited for. @type {number[]} */
    answerMs: [],
  };
  return {
    sent,
    /** @param {Parcel[]} parcels @param {string[]} urls @param {number} atOnce */
    async send(parcels, urls, atOnce) {
      let next = 0;
      async function work() {
        for (let index = next++; index < parcels.length; index = next++) {
          const parcel = parcels[index];
          if (!parcel) break;
          const { attempts } = await deliver(parcel.body, {
            url: urls[index % urls.length] ?? '',
            retry: RETRY,
            clock,
            isSuccess: ({ status }) => status === parcel.status,
          });
          const last = attempts.at(-1);
          if (!last) continue;
          sent.answered += 1;
          sent.retries += attempts.length - 1;
          sent.answerMs.push(last.durationMs);
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work));
    },
  };
}

/** @param {number[]} times @param {number} part */
export function percentile(times, part) {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;
}
