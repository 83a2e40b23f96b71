/** @import { Store, WaitingBody } from 'payment-notifications/receiver' */

// Saves webhooks in a bucket, for servers without a disk.

/**
 * @typedef {{ path: string, at: Date }} Listed A file, and when it was put.
 *
 * @typedef {object} Bucket Four functions of your bucket's client.
 * @property {(path: string, content: string | Uint8Array) => Promise<unknown>} put
 * @property {(path: string) => Promise<Uint8Array | null>} get Null if there is no such file.
 * @property {(prefix: string) => Promise<Listed[]>} list All files whose path begins with `prefix`.
 * @property {(path: string) => Promise<unknown>} delete Must not fail if there is no such file.
 */

/** @param {Bucket} bucket @returns {Store} */
export function createBucketStore(bucket) {
  /** @param {string} name @param {string[]} places */
  async function removeFrom(name, ...places) {
    for (const place of places)
      await Promise.all(['json', 'txt'].map((end) => bucket.delete(`${place}/${name}.${end}`)));
  }
  /** @param {string} name */
  async function triesOf(name) {
    const text = new TextDecoder().decode((await bucket.get(`progress/${name}.txt`)) ?? undefined);
    return Number(/\d+/.exec(text) ?? 1); // only a claim by a round has a text
  }
  return {
    async save({ to, name, body, reason, from }) {
      // A webhook in review stays there.
      const isInReview = !from && Boolean(await bucket.get(`review/${name}.json`));
      if (to === 'progress') {
        if (from?.place === 'progress')
          await bucket.put(`progress/${name}.txt`, `in progress, try ${from.tries + 1}`);
        if (!isInReview) await bucket.put(`progress/${name}.json`, body);
        return;
      }
      const at = isInReview ? 'review' : to;
      // Written first, and then deleted from lower places only, so that it is always in one place.
      await bucket.put(`${at}/${name}.txt`, reason);
      await bucket.put(`${at}/${name}.json`, body);
      await removeFrom(name, 'progress', ...(at === 'review' ? ['retry'] : []));
    },
    async list() {
      /** @type {WaitingBody[]} */
      const waiting = [];
      for (const { path, at } of await bucket.list('retry/')) {
        const [, name] = /^retry\/(.+)\.json$/.exec(path) ?? [];
        if (name) waiting.push({ name, place: 'retry', since: at, tries: 0 });
      }
      for (const { path, at } of await bucket.list('progress/')) {
        const [, name] = /^progress\/(.+)\.json$/.exec(path) ?? [];
        if (name) waiting.push({ name, place: 'progress', since: at, tries: await triesOf(name) });
      }
      return waiting;
    },
    read: async (name) =>
      (await bucket.get(`retry/${name}.json`)) ?? bucket.get(`progress/${name}.json`),
    remove: (name) => removeFrom(name, 'progress', 'retry', 'review'),
  };
}
