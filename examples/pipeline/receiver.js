// Takes callbacks: checks each body, writes it to its own disk and appends it to the stream, good or
// not, and again until the ledger has it. Any number of these may run, each with a folder of its own.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import getRawBody from 'raw-body';
import { openServer } from '../merchant/database.js';
import { lockFolder } from '../merchant/folder.js';
import { createConfirmation } from './confirm.js';
import { openJournal } from './journal.js';
import { CONSUMER, connectTo, STREAM } from './stream.js';

const { NATS_SERVERS = '127.0.0.1:4222', DATABASE_URL = '' } = process.env;
const { HOST = '127.0.0.1', PORT = '3000', DATA_FOLDER = './receiver' } = process.env;

/** Attempts for about as long as the election of a new leader takes. */
const PUBLISHING = { timeout: 2_000, retries: 3 };
const REVIEW_EVERY_MS = 1_000;

const taken = lockFolder(DATA_FOLDER);
if (taken !== null) throw new Error(taken);
const journal = await openJournal(DATA_FOLDER);
const database = openServer(DATABASE_URL);
const connection = await connectTo(NATS_SERVERS);
const stream = jetstream(connection);
const manager = await jetstreamManager(connection, { checkAPI: false });

/** Resolves once the stream has the body; why it is refused, if it is. @param {Buffer} body @param {string} attempt */
async function appendToStream(body, attempt = 'first') {
  const { notification, error } = safeParseNotification(body);
  const [subject, key] = notification
    ? [notification.type, idempotencyKey(notification)]
    : ['refused', 'refused'];
  // With the digest, because a body with the same key that says something else is no copy: the ledger
  // must see it, and report the conflict.
  const digest = createHash('sha256').update(body).digest('hex');
  const msgID = `${key}:${digest}:${attempt}`;
  await stream.publish(`${STREAM}.${subject}`, body, { msgID, ...PUBLISHING });
  return error;
}

/** @param {Buffer} body */
async function receive(body) {
  const [kept, appended] = await Promise.allSettled([journal.append(body), appendToStream(body)]);
  if (kept.status === 'rejected') throw kept.reason;
  if (appended.status === 'rejected') {
    console.error(`Not appended: ${appended.reason}`);
    // 500 all the same: if the service delivers again, it needn't depend on this disk.
    return { status: 500, answer: 'kept' };
  }
  const error = appended.value;
  if (!error) return { status: 200, answer: 'received' };
  return { status: 400, answer: JSON.stringify(error.issues.map(({ code }) => code)) };
}

const areSettled = createConfirmation({
  query: database.query,
  isBehind: async () => (await manager.consumers.info(STREAM, CONSUMER)).num_pending > 0,
  // Under another id: that of a body which it has lost, the stream may remember.
  append: (body) => appendToStream(body, randomUUID()),
});

const server = createServer(async (request, response) => {
  try {
    // Neither method nor headers are documented, so neither matters: the bytes are taken as they came.
    const [path = ''] = (request.url ?? '').split('?');
    if (path.split('/').filter(Boolean).join() !== 'callbacks') {
      response.writeHead(404).end('not found');
      return;
    }
    // Your check of where a callback comes from goes here, in front of the parser.
    const body = await getRawBody(request, { limit: '64kb' }); // a message of NATS has 1 MiB at most
    const { status, answer } = await receive(body);
    response.writeHead(status).end(answer);
  } catch (error) {
    console.error(`Not received: ${error}`);
    request.resume(); // or the rest of a body that is too large blocks the connection
    const isTooLarge = error instanceof Error && 'status' in error && error.status === 413;
    response.writeHead(isTooLarge ? 413 : 500).end('not received');
  }
});
server.listen(Number(PORT), HOST);
await once(server, 'listening');

process.once('SIGTERM', async () => {
  server.close();
  await once(server, 'close');
  process.exit();
});

for (;;) {
  await sleep(REVIEW_EVERY_MS);
  await journal.review(areSettled).catch((error) => console.error(`The journal waits: ${error}`));
}
