// Takes bodies from the stream and settles them in the merchant's ledger. It acknowledges a body after
// the commit. Any number of these may run. Whatever stops one, its supervisor starts it again.
import { setTimeout as sleep } from 'node:timers/promises';
import { openServer } from '../merchant/database.js';
import { createTables, settle } from '../merchant/ledger.js';
import { connectTo, openConsumer } from './stream.js';

/** @import { JsMsg } from '@nats-io/jetstream' */

const { NATS_SERVERS = '127.0.0.1:4222', DATABASE_URL = '' } = process.env;

/** How many bodies share a commit at most. A commit waits for the disk: it is what costs most. */
const BATCH = 100;
/** How long a batch waits for more, which is how long an event waits when there are few. */
const WAIT_MS = 1_000;
/** How long a body waits when it can't be settled: a little longer each time. */
const [RETRY_MS, MAX_RETRY_MS] = [1_000, 10_000];

const database = openServer(DATABASE_URL);
await createTables(database);
const consumer = await openConsumer(await connectTo(NATS_SERVERS));
// One batch after the other: what waits, waits in the stream, where any settler can take it.
for (;;) await settleBatch(await take());

async function take() {
  /** @type {JsMsg[]} */
  const batch = [];
  try {
    const messages = await consumer.fetch({ max_messages: BATCH, expires: WAIT_MS });
    for await (const message of messages) batch.push(message);
  } catch (error) {
    console.error(`The stream does not answer: ${error}`); // a leader is being elected, for instance
    await sleep(250);
  }
  return batch;
}

/** @param {JsMsg[]} batch */
async function settleBatch(batch) {
  if (batch.length === 0) return;
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
    message.nak(Math.min(RETRY_MS * message.info.deliveryCount, MAX_RETRY_MS));
  }
}
