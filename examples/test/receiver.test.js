// What a receiver of the pipeline keeps on its disk, and when it lets go of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, describe, mock, test } from 'node:test';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { createTables, settle } from '../merchant/ledger.js';
import { readLines } from '../merchant/spool.js';
import { findUnsettled } from '../pipeline/confirm.js';
import { openJournal } from '../pipeline/journal.js';
import { openPGlite } from './engines.js';

const BODIES = ['{"first":1}', '', 'the third\nhas\0bytes \u00e9'].map((text) => Buffer.from(text));
const texts = BODIES.map(String);
/** After which a file is looked at. */
const LATER_MS = 10_000;

describe("a receiver's journal", () => {
  const root = mkdtempSync(join(tmpdir(), 'pipeline-journal-'));
  before(() => mock.timers.enable({ apis: ['Date'], now: Date.now() }));
  after(() => {
    mock.timers.reset();
    rmSync(root, { recursive: true });
  });
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(root, 'journal-'));
  });

  /** @typedef {Awaited<ReturnType<typeof openJournal>>} Journal */
  /** What it asks for, and its answer. @param {Journal} journal @param {boolean} areSettled */
  async function review(journal, areSettled) {
    /** @type {string[][]} */
    const asked = [];
    const isDone = await journal.review(async (bodies) => {
      asked.push(bodies.map(String));
      return areSettled;
    });
    return { asked, isDone };
  }

  test('keeps every body until it is settled, and leaves it alone at first', async () => {
    const journal = await openJournal(folder);
    await Promise.all([...BODIES, ...BODIES].map((body) => journal.append(body)));
    assert.deepEqual(await review(journal, true), { asked: [], isDone: true });
    mock.timers.tick(LATER_MS);
    assert.deepEqual(await review(journal, false), { asked: [texts], isDone: false });
    // Another process finds it.
    const next = await openJournal(folder);
    assert.deepEqual(await review(next, true), { asked: [texts], isDone: true });
    assert.deepEqual(readdirSync(folder), []);
    assert.deepEqual(await review(next, true), { asked: [], isDone: true });
  });

  test('answers after the disk has synced, once for all that came while it was busy', async () => {
    const journal = await openJournal(folder);
    const directory = await open(folder);
    await directory.close();
    const handles = Object.getPrototypeOf(directory);
    const { datasync } = handles;
    /** How many bodies were in the file at each sync. @type {number[]} */
    const synced = [];
    const spy = mock.method(handles, 'datasync', async function () {
      const text = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'latin1');
      // @ts-expect-error It is called on a handle.
      await datasync.call(this);
      synced.push(readLines(text).whole.size);
    });
    const first = journal.append(Buffer.from('first')).then(() => [...synced]);
    await new Promise(setImmediate);
    const others = Array.from({ length: 50 }, (_, count) =>
      journal.append(Buffer.from(`${count}`)),
    );
    assert.deepEqual(await first, [1]);
    await Promise.all(others);
    spy.mock.restore();
    assert.deepEqual(synced, [1, 51]);
  });

  test('lets go of the oldest first, and of nothing beyond what is not settled', async () => {
    const journal = await openJournal(folder);
    for (const body of BODIES) {
      await journal.append(body);
      mock.timers.tick(LATER_MS);
    }
    /** @type {string[]} */
    const asked = [];
    const isDone = await journal.review(async ([body]) => {
      asked.push(`${body}`);
      return asked.length === 1;
    });
    assert.equal(isDone, false);
    assert.deepEqual(asked, texts.slice(0, 2));
    assert.deepEqual((await review(journal, true)).asked, [[texts[1]], [texts[2]]]);
  });

  test('keeps all of it while the ledger does not answer', async () => {
    const journal = await openJournal(folder);
    for (const body of BODIES) await journal.append(body);
    mock.timers.tick(LATER_MS);
    const down = async () => {
      throw new Error('the database is down');
    };
    await assert.rejects(journal.review(down), /the database is down/);
    await journal.append(Buffer.from('meanwhile'));
    mock.timers.tick(LATER_MS);
    assert.deepEqual((await review(journal, true)).asked, [texts, ['meanwhile']]);
  });

  test('loses no complete line, wherever its file ends, and keeps the torn one aside', async () => {
    const journal = await openJournal(folder);
    const content = () => readFileSync(join(folder, readdirSync(folder)[0] ?? ''));
    /** How long the file was when each was promised. @type {number[]} */
    const promised = [];
    for (const body of BODIES) {
      await journal.append(body);
      promised.push(content().length);
    }
    const whole = content();
    mock.timers.tick(LATER_MS);
    await review(journal, true);
    for (let length = 0; length <= whole.length; length += 1) {
      folder = mkdtempSync(join(root, 'cut-'));
      writeFileSync(join(folder, '1.journal'), whole.subarray(0, length));
      const { asked } = await review(await openJournal(folder), true);
      const kept = promised.filter((end) => end <= length).length;
      assert.deepEqual(asked[0]?.slice(0, kept), texts.slice(0, kept), `cut at ${length}`);
      const complete = asked[0]?.length ?? 0;
      // One more may be there: all but the newline at its end was written.
      assert(complete - kept <= 1);
      const rest = whole.toString('latin1', promised[complete - 1] ?? 0, length).trim();
      assert.deepEqual(readdirSync(folder), rest === '' ? [] : ['1.journal.torn']);
    }
  });

  test('has every body that it promised after SIGKILL', async () => {
    const program = `
      import { openJournal } from ${JSON.stringify(new URL('../pipeline/journal.js', import.meta.url))};
      const journal = await openJournal(${JSON.stringify(folder)});
      async function work(worker) {
        for (let count = 0; ; count += 1) {
          const body = 'body ' + process.pid + ' ' + worker + ' ' + count;
          await journal.append(Buffer.from(body));
          process.stdout.write(body + '\\n');
        }
      }
      for (let worker = 0; worker < 10; worker += 1) work(worker);`;
    const promised = [];
    for (let round = 0; round < 3; round += 1) {
      const args = ['--input-type=module', '--eval', program];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      let lines = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        promised.push(line);
        lines += 1;
        if (lines === 100 + round * 37) child.kill('SIGKILL');
      }
      await exited;
    }
    mock.timers.setTime(Date.now() + 3_600_000);
    const { asked } = await review(await openJournal(folder), true);
    assert.equal(asked.length, 3);
    const found = new Set(asked.flat());
    assert.deepEqual(
      promised.filter((body) => !found.has(body)),
      [],
    );
  });
});

test('a receiver asks the ledger for what it neither has booked nor holds', async () => {
  const engine = await openPGlite();
  const database = (await engine.create('confirm')).open();
  await createTables(database);
  const deposit = depositReceivedBody({ actualDepositAmount: '1' }, { seed: 1 });
  const copies = bodyVariants(deposit).map(({ body }) => body);
  const bodies = [
    ...copies,
    depositReceivedBody({ actualDepositAmount: '2' }, { seed: 1 }), // a conflict
    depositReceivedBody({ clientPaymentId: 'a\0b' }, { seed: 2 }), // no column can store it
    withdrawalBroadcastBody({}, { seed: 3 }),
    withdrawalBroadcastBody({ status: 'FAILED' }, { seed: 3 }),
    'refused',
    '',
  ].map((body) => Buffer.from(body));
  assert.deepEqual(await findUnsettled(database.query, bodies), bodies);
  // The copies are booked with the first of them.
  for (const [index, body] of bodies.entries()) {
    if (index > 0 && index < copies.length) continue;
    await settle(database.query, body);
    const unsettled = bodies.slice(Math.max(index + 1, copies.length));
    assert.deepEqual(await findUnsettled(database.query, bodies), unsettled);
  }
  await database.close();
  await engine.close();
});
