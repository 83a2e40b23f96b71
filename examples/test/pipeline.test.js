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
import { createConfirmation } from '../pipeline/confirm.js';
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
  const deposit = () => depositReceivedBody({}, { seed: events });
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
    const forged = depositReceivedBody({ actualDepositAmount: '0.00000001' }, { seed: 1 });
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
    assert.deepEqual(held, [{ body: Buffer.from(refused) }]);
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

  test('settles all again for a lost ledger, and what the stream lost or did not take', async () => {
    const manager = await jetstreamManager(pipeline.connection, { checkAPI: false });
    await manager.consumers.delete(STREAM, CONSUMER); // so that no settler gets it before it is lost
    await query('TRUNCATE event, line, held');
    events += 1;
    const lost = withdrawalBroadcastBody({}, { seed: events });
    await deliverAll([lost]);
    const last = { last_by_subj: `${STREAM}.withdrawal.broadcast` };
    const message = await manager.streams.getMessage(STREAM, last);
    assert.equal(message?.string(), lost);
    assert(await manager.streams.deleteMessage(STREAM, message.seq));

    const servers = pipeline.names().filter((name) => name.startsWith('nats'));
    for (const name of servers) pipeline.kill(name, 'SIGSTOP');
    await pipeline.until('stopped', async () => servers.every(pipeline.isStopped));
    events += 1;
    const { attempts } = await deliver(deposit(), { url }); // it is not sent again
    assert.deepEqual(attempts[0]?.answer, { status: 500, body: 'kept' });
    pipeline.kill('receiver-1');
    for (const name of servers) pipeline.kill(name, 'SIGCONT');

    // They create the consumer again, from the beginning of the stream.
    for (const name of ['settler-1', 'settler-2']) pipeline.kill(name);
    await pipeline.settled(events);
    await pipeline.confirmed(); // of all bodies, held ones too, by both receivers
    assert((await check(query)).isBalanced);
  });

  test('a receiver appends again what is neither booked nor held, but not without end', async () => {
    /** @type {Buffer[]} */
    const appended = [];
    let isBehind = true;
    const areSettled = createConfirmation({
      query,
      isBehind: async () => isBehind,
      append: async (body) => appended.push(body),
    });
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
    // They most likely wait in the stream.
    await assert.rejects(areSettled(bodies, 0), /the settlers are behind/);
    isBehind = false;
    for (let lacked = 0; lacked < 20; lacked += 1)
      assert.equal(await areSettled(bodies, lacked), false);
    assert.deepEqual(appended.splice(0), Array(5).fill(bodies).flat());
    await settle(query, Buffer.from(`${copies[0]}`)); // the others are booked with it
    for (let apart = bodies.slice(copies.length); apart[0]; apart = apart.slice(1)) {
      assert.equal(await areSettled(bodies, 0), false);
      assert.deepEqual(appended.splice(0), apart);
      await settle(query, apart[0]);
    }
    assert.equal(await areSettled(bodies, 20), true);
  });
});
