// The three stores that a merchant's server.mjs may have, and what a test sees of them.
import fs from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { copied } from './code.js';

/** @import { AddressInfo } from 'node:net' */
/** @import { Merchant } from './merchant.js' */

/**
 * @typedef {object} OpenStore
 * @property {string} code What server.mjs begins with; empty if it has the store already.
 * @property {Record<string, string>} env
 * @property {() => number | Promise<number>} unsettled How many are in `progress` or `retry`.
 * @property {() => Reviewed[] | Promise<Reviewed[]>} reviewed What is in `review`.
 * @property {(body: string) => unknown} retry Moves a body from `review` to `retry`.
 * @property {() => void} close
 *
 * @typedef {{ body: string, reason: string | null }} Reviewed
 */

/** @param {Merchant} merchant @returns {OpenStore} */
export function openFolderStore(merchant) {
  return {
    code: '',
    env: {},
    unsettled: merchant.unsettled,
    reviewed: () =>
      merchant.bodies('review').map((body) => {
        return { body, reason: merchant.reason('review', body)?.trim() ?? null };
      }),
    retry: merchant.retry,
    close() {},
  };
}

/** @param {Merchant} merchant @returns {Promise<OpenStore>} */
export async function openTable({ folder, postgres }) {
  await postgres.query(copied('table-store.sql'));
  fs.writeFileSync(join(folder.path, 'table-store.mjs'), copied('table-store.mjs'));
  return {
    code: "import { store } from './table-store.mjs';",
    env: { STORE_URL: postgres.url },
    async unsettled() {
      const find = "SELECT FROM webhook WHERE place <> 'review'";
      return (await postgres.query(find)).length;
    },
    async reviewed() {
      const find = "SELECT body, reason FROM webhook WHERE place = 'review'";
      return (await postgres.query(find)).map(({ body, reason }) => ({ body: `${body}`, reason }));
    },
    retry: (body) =>
      postgres.query(`UPDATE webhook SET place = 'retry' WHERE body = '${body}'::text::bytea`),
    close() {},
  };
}

/** The four functions of a bucket's client. */
const CLIENT = `import { createBucketStore } from './bucket-store.mjs';
async function ask(path, init) {
  const response = await fetch(process.env.BUCKET_URL + path, init);
  if (!response.ok && response.status !== 404) throw new Error('the bucket says ' + response.status);
  return response;
}
const store = createBucketStore({
  put: (path, content) => ask(path, { method: 'PUT', body: content }),
  async get(path) {
    const response = await ask(path);
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
  },
  async list(prefix) {
    const files = await (await ask('?prefix=' + prefix)).json();
    return files.map(({ path, at }) => ({ path, at: new Date(at) }));
  },
  delete: (path) => ask(path, { method: 'DELETE' }),
});`;

/** How long a bucket takes before it does what it was asked, and again before it says so. */
const MAX_DELAY = 5;

/**
 * A bucket in this process, behind HTTP: a file is put as a whole or not at all, and what was asked
 * is done also if nobody waits for the answer any more.
 *
 * @param {Merchant} merchant
 * @returns {Promise<OpenStore>}
 */
export async function openBucket({ folder }) {
  /** @type {Map<string, { content: Buffer, at: Date }>} */
  const files = new Map();
  /** The names of the bodies in a place. @param {string} place */
  const namesIn = (place) =>
    [...files.keys()].flatMap((path) => {
      const [folder, name = ''] = path.split('/');
      return folder === place && name.endsWith('.json') ? [name.slice(0, -5)] : [];
    });
  const textOf = (/** @type {string} */ path) => `${files.get(path)?.content}`;
  const reviewed = () =>
    namesIn('review').map((name) => {
      const path = `review/${name}`;
      return { name, body: textOf(`${path}.json`), reason: textOf(`${path}.txt`) };
    });
  const delay = () => sleep(Math.random() * MAX_DELAY);
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://bucket');
    const path = decodeURIComponent(pathname.slice(1));
    const content = await buffer(request).catch(() => null);
    if (content === null) return; // its sender was killed
    await delay();
    const file = files.get(path);
    const prefix = searchParams.get('prefix');
    const listed = [...files].filter(([path]) => path.startsWith(prefix ?? path));
    if (request.method === 'PUT') files.set(path, { content, at: new Date() });
    if (request.method === 'DELETE') files.delete(path);
    await delay();
    if (request.method !== 'GET') return response.end();
    if (prefix !== null)
      return response.end(JSON.stringify(listed.map(([path, { at }]) => ({ path, at }))));
    return file ? response.end(file.content) : response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {AddressInfo} */ (server.address());
  fs.writeFileSync(join(folder.path, 'bucket-store.mjs'), copied('bucket-store.mjs'));
  return {
    code: CLIENT,
    env: { BUCKET_URL: `http://127.0.0.1:${port}/` },
    unsettled: () => namesIn('progress').length + namesIn('retry').length,
    reviewed,
    retry(body) {
      const { name } = reviewed().find((one) => one.body === body) ?? {};
      files.set(`retry/${name}.json`, { content: Buffer.from(body), at: new Date() });
      for (const ending of ['json', 'txt']) files.delete(`review/${name}.${ending}`);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
