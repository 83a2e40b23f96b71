// Takes bodies from the stream and settles them in the merchant's ledger. It acknowledges a body after
// the commit; one that it had when it was killed is given to another settler, and settled again there
// if need be, which the ledger makes harmless. Any number of these may run. Whatever stops one, its
// supervisor starts it again.
import { openServer } from '../merchant/database.js';
import { createTables, settle } from '../merchant/ledger.js';
import { connectTo, openConsumer } from './stream.js';

/** @import { JsMsg } from '@nats-io/jetstream' */

const { NATS_SERVERS = '127.0.0.1:4222', DATABASE_URL = '' } = process.env;

/** How many bodies share a commit at most. A commit waits for the disk: it is what costs most. */
const BATCH = 100;
/** How long a body waits when the database failed. */
const RETRY_MS = 1_000;

/** What has come and waits for its turn. @type {JsMsg[]} */
const waiting = [];
let isSettling = false;

const database = openServer(DATABASE_URL);
await createTables(database);
const consumer = await openConsumer(await connectTo(NATS_SERVERS));
const messages = await consumer.consume({
  max_messages: 2 * BATCH,
  // A request for more is answered by the server that leads now. When another one leads, it is lost;
  // after two seconds without a sign of life it is made again, whatever the old leader would say.
  expires: 2_000,
  bind: true,
  callback: (message) => {
    waiting.push(message);
    if (!isSettling) settleWaiting();
  },
});
await messages.closed();
process.exit(1);

async function settleWaiting() {
  isSettling = true;
  // A batch is what came during the last one: alone when there is little, and a hundred under load.
  while (waiting.length > 0) await settleBatch(waiting.splice(0, BATCH));
  isSettling = false;
}

/** @param {JsMsg[]} batch */
async function settleBatch(batch) {
  try {
    await database.transaction(async (query) => {
      for (const { data } of batch) await settle(query, data);
    });
    for (const message of batch) message.ack();
  } catch {
    // It may be one body's fault, or another settler's lock: then the others are settled now.
    await Promise.all(batch.map(settleAlone));
  }
}

/** @param {JsMsg} message */
async function settleAlone(message) {
  try {
    await settle(database.query, message.data);
    message.ack();
  } catch (error) {
    console.error(`Not settled: ${error}`);
    message.nak(RETRY_MS);
  }
}
