// The pipeline in peace, and what its parts make up for; kills are for `npm run chaos`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import {
  bodyVariants,
  deliver,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { check, settle } from '../merchant/ledger.js';
import { createConfirmation, findUnsettled } from '../pipeline/confirm.js';
import { inTurn, nothingSent, send } from '../pipeline/send.js';
import { startPipeline } from '../pipeline/start.js';
import { CONSUMER, STREAM } from '../pipeline/stream.js';
import { bodyOfLength, GZIPPED, LIMIT, ODD_HEADERS, statusOf } from './bodies.js';
import { whyMissing } from './programs.js';

describe('the pipeline', { skip: whyMissing('nats-server', 'postgresql-15') }, () => {
  /** @type {import('../pipeline/start.js').Pipeline} */
  let pipeline;
  /** Of a receiver. */
  let url = '';
  /** @type {import('../merchant/database.js').Query} */
  let query;
  before(async () => {
    pipeline = await startPipeline();
    [url = ''] = pipeline.urls;
    query = pipeline.database.query;
  });
  after(() => pipeline?.stop());

  /** How many events the tests so far have had settled. */
  let events = 0;
  const deposit = (fields = {}) => depositReceivedBody(fields, { seed: events });
  /** @param {string[]} bodies Each until it is answered with 200. */
  async function deliverAll(bodies) {
    const parcels = bodies.map((body) => ({ body, status: 200 }));
    await send(parcels.values(), inTurn(pipeline.urls), nothingSent());
  }

  test('settles each event once, in whatever encoding it comes', async () => {
    const bodies = [];
    for (let seed = 1; seed <= 10; seed += 1) {
      bodies.push(withdrawalBroadcastBody({}, { seed }));
      bodies.push(...bodyVariants(depositReceivedBody({}, { seed })).map(({ body }) => body));
    }
    await deliverAll(bodies);
    events += 20;
    await pipeline.settled(events);
    const sums = await query(
      "SELECT sum(amount)::text FROM line WHERE account <> 'service' GROUP BY currency",
    );
    assert.deepEqual(sums.map(({ sum }) => sum).sort(), ['-4807.30', '0.15230']); // 10 times each
    assert((await check(query)).isBalanced);
  });

  test('shows the ledger a body that says something else under the key of a settled event', async () => {
    events += 1;
    await deliverAll([deposit()]);
    await pipeline.settled(events);
    const forged = deposit({ actualDepositAmount: '0.00000001' });
    await deliverAll([forged]);
    const find = () => query('SELECT body, key FROM held WHERE key IS NOT NULL');
    await pipeline.until('a conflict', async () => (await find()).length > 0);
    const [held] = await find();
    assert.equal(`${held?.body}`, forged);
    assert.equal(held?.key, `deposit.received:${JSON.parse(forged).depositId}`);
    assert((await check(query)).isBalanced);
  });

  test('holds a body that the database says no to, and settles the others', async () => {
    await query(`CREATE FUNCTION forbid() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.account = 'customer:nobody' THEN RAISE EXCEPTION 'who is that?'; END IF; RETURN NEW;
    END $$`);
    await query(
      'CREATE TRIGGER forbid BEFORE INSERT ON line FOR EACH ROW EXECUTE FUNCTION forbid()',
    );
    const refused = depositReceivedBody({ clientPaymentId: 'nobody' }, { seed: 1_000 });
    events += 1;
    await deliverAll([refused, deposit()]);
    await pipeline.settled(events);
    const held = await query(`SELECT body FROM held WHERE reason LIKE '%who is that?'`);
    assert.deepEqual(
      held.map(({ body }) => `${body}`),
      [refused],
    );
  });

  test('takes a body as it came, whatever its headers say, up to 64 KiB', async () => {
    const isHeld = async () =>
      (await query('SELECT FROM held WHERE body = $1', [GZIPPED])).length > 0;
    events += 2; // with that of bodyOfLength
    for (const headers of ODD_HEADERS)
      assert.equal(await statusOf(url, deposit(), headers), 200, JSON.stringify(headers));
    assert.equal(await statusOf(url, GZIPPED, { 'content-encoding': 'gzip' }), 400);
    assert.equal(await statusOf(url, bodyOfLength(LIMIT)), 200);
    assert.equal(await statusOf(url, bodyOfLength(LIMIT + 1)), 413);
    assert.match(pipeline.log('receiver-1'), /Not received: .*too large/);
    await pipeline.until('held', isHeld);
    await pipeline.settled(events);
  });

  const openManager = () => jetstreamManager(pipeline.connection, { checkAPI: false });
  /** They create the consumer again, from the beginning of the stream. */
  function restartSettlers() {
    for (const name of ['settler-1', 'settler-2']) pipeline.kill(name);
  }

  test('fills a ledger that was lost from the stream', async () => {
    await query('TRUNCATE event, line, held');
    const manager = await openManager();
    await manager.consumers.delete(STREAM, CONSUMER);
    restartSettlers();
    await pipeline.settled(events);
    assert((await check(query)).isBalanced);
  });

  test('settles a body that the stream acknowledged and lost, and one that it did not take', async () => {
    const manager = await openManager();
    await manager.consumers.delete(STREAM, CONSUMER); // so that no settler gets it before it is lost
    events += 1;
    const lost = withdrawalBroadcastBody({}, { seed: events });
    await deliverAll([lost]);
    const last = { last_by_subj: `${STREAM}.withdrawal.broadcast` };
    const message = await manager.streams.getMessage(STREAM, last);
    assert.equal(message?.string(), lost);
    assert(await manager.streams.deleteMessage(STREAM, message.seq));

    const servers = pipeline.names().filter((name) => name.startsWith('nats'));
    for (const name of servers) pipeline.kill(name, 'SIGSTOP');
    events += 1;
    const { attempts } = await deliver(deposit(), { url }); // it is not sent again
    assert.deepEqual(attempts[0]?.answer, { status: 500, body: 'kept' });
    pipeline.kill('receiver-1');
    for (const name of servers) pipeline.kill(name, 'SIGCONT');

    restartSettlers();
    await pipeline.settled(events);
    await pipeline.confirmed(); // of all bodies, held ones too, by both receivers
  });

  test('a receiver asks the ledger for what it neither has booked nor holds', async () => {
    const copies = bodyVariants(depositReceivedBody({}, { seed: 2_000 })).map(({ body }) => body);
    const bodies = [
      ...copies,
      depositReceivedBody({ actualDepositAmount: '2' }, { seed: 2_000 }), // a conflict
      depositReceivedBody({ clientPaymentId: 'a\0b' }, { seed: 2_001 }), // no column can store it
      withdrawalBroadcastBody({}, { seed: 2_002 }),
      withdrawalBroadcastBody({ status: 'FAILED' }, { seed: 2_002 }),
      'refused',
      '',
    ].map((body) => Buffer.from(body));
    assert.deepEqual(await findUnsettled(query, bodies), bodies);
    // The copies are booked with the first of them.
    for (const [index, body] of bodies.entries()) {
      if (index > 0 && index < copies.length) continue;
      await settle(query, body);
      const unsettled = bodies.slice(Math.max(index + 1, copies.length));
      assert.deepEqual(await findUnsettled(query, bodies), unsettled);
    }
  });

  test('a receiver appends a body again that the ledger lacks, but not without end', async () => {
    /** @type {string[]} */
    const appended = [];
    let isBehind = true;
    const areSettled = createConfirmation({
      query,
      isBehind: async () => isBehind,
      append: async (body) => appended.push(`${body}`),
    });
    const [lacking, booked] = [3_000, 3_001].map((seed) => withdrawalBroadcastBody({}, { seed }));
    const bodies = [lacking, booked].map((body) => Buffer.from(`${body}`));
    await settle(query, Buffer.from(`${booked}`));
    // It most likely waits in the stream.
    await assert.rejects(areSettled(bodies, 0), /the settlers are behind/);
    isBehind = false;
    for (let lacked = 0; lacked < 20; lacked += 1)
      assert.equal(await areSettled(bodies, lacked), false);
    assert.deepEqual(appended, Array(5).fill(lacking));
    await settle(query, Buffer.from(`${lacking}`));
    assert.equal(await areSettled(bodies, 20), true);
  });
});
