/** @typedef {Map<string, { content: Uint8Array, at: Date }>} Files By path. */

/**
 * A bucket in memory.
 *
 * @param {Files} files
 * @returns {import('../start/bucket-store.mjs').Bucket}
 */
export const bucketOf = (files) => ({
  put: async (path, content) => files.set(path, { content: Buffer.from(content), at: new Date() }),
  get: async (path) => files.get(path)?.content ?? null,
  list: async (prefix) =>
    [...files].flatMap(([path, { at }]) => (path.startsWith(prefix) ? [{ path, at }] : [])),
  delete: async (path) => files.delete(path),
});
