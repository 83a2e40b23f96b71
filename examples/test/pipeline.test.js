import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import {
  deliver,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { check } from '../merchant/ledger.js';
import { startPipeline } from '../pipeline/start.js';
import { CONSUMER, STREAM } from '../pipeline/stream.js';
import { bodyOfLength, GZIPPED, LIMIT, ODD_HEADERS, statusOf } from './bodies.js';
import { runChaos } from './pipeline-chaos.js';
import { whyMissing } from './programs.js';

// A small version of what `npm run chaos` does.
const PLAN = {
  deposits: 200,
  copies: 5,
  withdrawals: 60,
  refused: 50,
  kills: { min: 8, max: 8 },
  databaseDownMs: 2_000,
};
const RETRY = { intervalMs: 250, durationMs: 3_600_000 };
const EVENTS = PLAN.deposits + PLAN.withdrawals;

describe('the pipeline', { skip: whyMissing('nats-server', 'postgresql-15') }, () => {
  /** @type {import('../pipeline/start.js').Pipeline} */
  let pipeline;
  before(async () => {
    pipeline = await startPipeline({ receivers: 2, settlers: 2 });
  });
  after(() => pipeline?.stop());

  test('settles each event once while all seven processes are killed and the database is down', async () => {
    const { killed, sent } = await runChaos(pipeline, PLAN);
    assert.equal(new Set(killed).size, 7);
    assert(sent.retries > 0, 'nothing was in the way of a kill');
  });

  test('keeps a body that the stream does not take, and appends it later', async () => {
    const servers = pipeline.names().filter((name) => name.startsWith('nats'));
    const [url = ''] = pipeline.urls;
    const body = withdrawalBroadcastBody({}, { seed: EVENTS + 1 });
    for (const name of servers) pipeline.kill(name, 'SIGSTOP');
    const { attempts } = await deliver(body, { url, retry: null }); // nobody sends it again
    assert.deepEqual(attempts[0]?.answer, { status: 500, body: 'kept' });
    pipeline.kill('receiver-1');
    for (const name of servers) pipeline.kill(name, 'SIGCONT');
    await pipeline.settled(EVENTS + 1);
  });

  async function removeConsumer() {
    const manager = await jetstreamManager(pipeline.connection, { checkAPI: false });
    const isRemoved = () =>
      manager.consumers
        .delete(STREAM, CONSUMER)
        // While a leader is being elected, it fails; or only its answer is late.
        .catch(({ message }) => message === 'consumer not found');
    await pipeline.until('without a consumer', isRemoved);
  }

  /** They create the consumer again, from the beginning of the stream. */
  function restartSettlers() {
    for (const name of ['settler-1', 'settler-2']) pipeline.kill(name);
  }

  test('fills a ledger that was lost from the stream', async () => {
    await pipeline.database.query('TRUNCATE event, line, held');
    await removeConsumer();
    restartSettlers();
    await pipeline.settled(EVENTS + 1);
    assert((await check(pipeline.database.query)).isBalanced);
  });

  test('settles a body that the stream acknowledged and lost', async () => {
    const [url = ''] = pipeline.urls;
    await removeConsumer(); // so that no settler gets it before it is lost
    const body = withdrawalBroadcastBody({}, { seed: EVENTS + 2 });
    assert((await deliver(body, { url, retry: RETRY })).delivered);
    const manager = await jetstreamManager(pipeline.connection, { checkAPI: false });
    const last = { last_by_subj: `${STREAM}.withdrawal.broadcast` };
    const message = await manager.streams.getMessage(STREAM, last);
    assert.equal(message?.string(), body);
    assert(await manager.streams.deleteMessage(STREAM, message.seq));
    restartSettlers();
    const key = `withdrawal.broadcast:${JSON.parse(body).withdrawalId}:COMPLETED`;
    const find = () => pipeline.database.query('SELECT FROM event WHERE key = $1', [key]);
    await pipeline.until('settled', async () => (await find()).length > 0);
    await pipeline.confirmed();
  });

  test('shows the ledger a body that says something else under the key of a settled event', async () => {
    const [url = ''] = pipeline.urls;
    const seed = EVENTS + 3;
    const real = depositReceivedBody({}, { seed });
    const forged = depositReceivedBody({ actualDepositAmount: '0.00000001' }, { seed });
    assert((await deliver(real, { url, retry: RETRY })).delivered);
    await pipeline.settled(EVENTS + 3);
    assert((await deliver(forged, { url, retry: RETRY })).delivered);
    const { query } = pipeline.database;
    const find = () => query('SELECT body, key FROM held WHERE key IS NOT NULL');
    await pipeline.until('a conflict', async () => (await find()).length > 0);
    const [held] = await find();
    assert.equal(`${held?.body}`, forged);
    assert.equal(held?.key, `deposit.received:${JSON.parse(forged).depositId}`);
    assert((await check(query)).isBalanced);
  });

  test('holds a body that the database says no to, and settles the others', async () => {
    const [url = ''] = pipeline.urls;
    const { query } = pipeline.database;
    await query(`CREATE FUNCTION forbid() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.account = 'customer:nobody' THEN RAISE EXCEPTION 'who is that?'; END IF; RETURN NEW;
    END $$`);
    await query(
      'CREATE TRIGGER forbid BEFORE INSERT ON line FOR EACH ROW EXECUTE FUNCTION forbid()',
    );
    const events = await query('SELECT FROM event');
    const bodies = [
      depositReceivedBody({ clientPaymentId: 'nobody' }, { seed: EVENTS + 4 }),
      depositReceivedBody({}, { seed: EVENTS + 5 }),
    ];
    for (const body of bodies) assert((await deliver(body, { url, retry: RETRY })).delivered);
    await pipeline.settled(events.length + 1);
    const held = await query(`SELECT body FROM held WHERE reason LIKE '%who is that?'`);
    assert.deepEqual(
      held.map(({ body }) => `${body}`),
      bodies.slice(0, 1),
    );
    await pipeline.confirmed();
  });

  test('takes a body as it came, whatever its headers say, up to 64 KiB', async () => {
    const [url = ''] = pipeline.urls;
    for (const headers of ODD_HEADERS)
      assert.equal(
        await statusOf(url, depositReceivedBody({}, { seed: EVENTS + 6 }), headers),
        200,
      );
    assert.equal(await statusOf(url, GZIPPED, { 'content-encoding': 'gzip' }), 400);
    assert.equal(await statusOf(url, bodyOfLength(LIMIT)), 200);
    assert.equal(await statusOf(url, bodyOfLength(LIMIT + 1)), 413);
    assert.match(pipeline.log('receiver-1'), /Not received: .*too large/);
    const isHeld = () =>
      pipeline.database
        .query('SELECT FROM held WHERE body = $1', [GZIPPED])
        .then(({ length }) => length > 0);
    await pipeline.until('held', isHeld);
  });
});
