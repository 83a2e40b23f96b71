import { env } from 'cloudflare:workers';
import { createReceiver } from 'payment-notifications/receiver';
import pg from 'pg';
import { createBucketStore } from './bucket-store.mjs';
import { createSettle } from './settle.mjs';

// A Cloudflare Worker that saves webhooks in R2. Create its Hyperdrive with --caching-disabled.
// Otherwise, the Worker may not find a new order.

const limits = { connectionTimeoutMillis: 5_000, statement_timeout: 5_000, query_timeout: 6_000 };

// For your own orders, also pass customerOf.
const settleOnce = createSettle({
  // Requests of a Worker can't share a connection, so each query opens one.
  async query(sql, values) {
    const { connectionString } = env.DATABASE;
    const client = new pg.Client({ connectionString, ...limits });
    await client.connect();
    try {
      return await client.query(sql, values);
    } finally {
      await client.end();
    }
  },
});

const store = createBucketStore({
  put: (path, content) => env.WEBHOOKS.put(path, content),
  async get(path) {
    const found = await env.WEBHOOKS.get(path);
    return found && new Uint8Array(await found.arrayBuffer());
  },
  async list(prefix) {
    /** @type {import('./bucket-store.mjs').Listed[]} */
    const files = [];
    /** @type {string | undefined} */
    let cursor;
    do {
      const page = await env.WEBHOOKS.list({ prefix, cursor });
      files.push(...page.objects.map(({ key, uploaded }) => ({ path: key, at: uploaded })));
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor);
    return files;
  },
  delete: (path) => env.WEBHOOKS.delete(path),
});

const receiver = createReceiver({
  secret: env.CALLBACK_SECRET,
  store,
  onDepositReceived: settleOnce,
  onWithdrawalBroadcast: settleOnce,
});

export default { fetch: receiver.fetch, scheduled: () => receiver.retry() };
