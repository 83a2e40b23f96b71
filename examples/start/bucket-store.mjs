/** @import { Store } from 'payment-notifications/receiver' */

// For servers without a disk: keeps webhooks in a bucket.

/**
 * @typedef {object} Bucket Four functions of your bucket's client.
 * @property {(path: string, content: string | Uint8Array) => Promise<unknown>} put
 * @property {(path: string) => Promise<Uint8Array | null>} get Null if there is no such file.
 * @property {(prefix: string) => Promise<string[]>} list All paths that begin with `prefix`.
 * @property {(path: string) => Promise<unknown>} delete Must not fail if there is no such file.
 */

/** @param {Bucket} bucket @returns {Store} */
export function createBucketStore(bucket) {
  return {
    async save({ to, name, body, reason }) {
      await bucket.put(`${to}/${name}.txt`, reason);
      await bucket.put(`${to}/${name}.json`, body);
    },
    async list() {
      const paths = await bucket.list('retry/');
      return paths.flatMap((path) => /^retry\/(.+)\.json$/.exec(path)?.[1] ?? []);
    },
    read: (name) => bucket.get(`retry/${name}.json`),
    async remove(name) {
      await bucket.delete(`retry/${name}.json`);
      await bucket.delete(`retry/${name}.txt`);
    },
  };
}
