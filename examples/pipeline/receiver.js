// Takes callbacks: checks each body and appends it to the stream, whether it is good or not. It knows
// no database. Any number of these may run, each with a folder of its own.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setInterval } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import getRawBody from 'raw-body';
import { lockFolder } from '../merchant/folder.js';
import { openSpool } from '../merchant/spool.js';
import { connectTo, STREAM } from './stream.js';

const { NATS_SERVERS = '127.0.0.1:4222', PORT = '3000', DATA_FOLDER = './receiver' } = process.env;

/** Attempts for about as long as the election of a new leader takes. */
const PUBLISHING = { timeout: 2_000, retries: 3 };

const taken = lockFolder(DATA_FOLDER);
if (taken !== null) throw new Error(taken);
const spool = await openSpool(DATA_FOLDER);
const connection = await connectTo(NATS_SERVERS);
const stream = jetstream(connection);

/** Resolves once the stream has the body. @param {Buffer} body */
async function append(body) {
  const result = safeParseNotification(body);
  const [subject, key] = result.success
    ? [result.notification.type, idempotencyKey(result.notification)]
    : ['refused', 'refused'];
  // With the digest, because a body with the same key that says something else is no copy: the ledger
  // must see it, and report the conflict.
  const msgID = `${key}:${createHash('sha256').update(body).digest('hex')}`;
  await stream.publish(`${STREAM}.${subject}`, body, { msgID, ...PUBLISHING });
  return result;
}

/** @param {Buffer} body */
async function receive(body) {
  try {
    const result = await append(body);
    if (result.success) return { status: 200, answer: 'received' };
    return { status: 400, answer: JSON.stringify(result.error.issues.map(({ code }) => code)) };
  } catch (error) {
    console.error(`Not appended: ${error}`);
  }
  // 500 all the same: if the service delivers again, it needn't depend on this disk.
  await spool.append(body);
  return { status: 500, answer: 'spooled' };
}

const server = createServer(async (request, response) => {
  try {
    // Neither method nor content type is documented, so neither matters.
    const [path = ''] = (request.url ?? '').split('?');
    if (path.split('/').filter(Boolean).join() !== 'callbacks') {
      response.writeHead(404).end('not found');
      return;
    }
    // Your check of where a callback comes from goes here, in front of the parser.
    const body = await getRawBody(request, { limit: '512kb' }); // a message of NATS has 1 MiB at most
    const { status, answer } = await receive(body);
    response.writeHead(status).end(answer);
  } catch (error) {
    console.error(`Not received: ${error}`);
    request.resume(); // or the rest of a body that is too large blocks the connection
    const isTooLarge = error instanceof Error && 'status' in error && error.status === 413;
    response.writeHead(isTooLarge ? 413 : 500).end('not received');
  }
});
server.listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');

process.once('SIGTERM', async () => {
  server.close();
  await once(server, 'close');
  process.exit();
});

for await (const _ of setInterval(1_000)) {
  await spool.drain(append).catch((error) => console.error(`The spool waits: ${error}`));
}
