// What a receiver of the pipeline keeps on its disk, and when it lets go of it.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, mock, test } from 'node:test';
import {
  bodyVariants,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { createTables, settle } from '../merchant/ledger.js';
import { createConfirmation, findUnsettled } from '../pipeline/confirm.js';
import { openJournal as open } from '../pipeline/journal.js';
import { lineOf, readLines } from '../pipeline/lines.js';
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
  /** The monotonic clock, in milliseconds. */
  let elapsed = 0;
  const openJournal = (/** @type {string} */ path) => open(path, () => elapsed);
  /** Lets the time of both clocks pass. @param {number} ms */
  function pass(ms) {
    elapsed += ms;
    mock.timers.setTime(Date.now() + ms);
  }

  /** @typedef {Awaited<ReturnType<typeof open>>} Journal */
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
    pass(LATER_MS);
    assert.deepEqual(await review(journal, false), { asked: [texts], isDone: false });
    // Another process finds it.
    const next = await openJournal(folder);
    assert.deepEqual(await review(next, true), { asked: [texts], isDone: true });
    assert.deepEqual(readdirSync(folder), []);
    assert.deepEqual(await review(next, true), { asked: [], isDone: true });
  });

  test('answers after the disk has synced, once for all that came while it was busy', async () => {
    const journal = await openJournal(folder);
    const directory = await openFile(folder);
    await directory.close();
    const handles = Object.getPrototypeOf(directory);
    const { datasync } = handles;
    /** How many bodies were in the file at each sync. @type {number[]} */
    const synced = [];
    const spy = mock.method(handles, 'datasync', async function () {
      const text = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'latin1');
      // @ts-expect-error It is called on a handle.
      await datasync.call(this);
      synced.push(readLines(text).bodies.length);
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

  test('is looked at again after its clock was a year ahead, by this process and the next', async () => {
    const YEAR_MS = 365 * 86_400_000;
    mock.timers.setTime(Date.now() + YEAR_MS);
    const journal = await openJournal(folder);
    await journal.append(Buffer.from('from the future'));
    mock.timers.setTime(Date.now() - YEAR_MS);
    const next = await openJournal(folder);
    assert.deepEqual((await review(next, false)).asked, [['from the future']]);
    await journal.append(Buffer.from('after it was set right'));
    pass(LATER_MS);
    const all = ['from the future', 'after it was set right'];
    assert.deepEqual((await review(journal, true)).asked, [all]);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('lets go of what is settled, past a body that is not', async () => {
    const journal = await openJournal(folder);
    for (const body of BODIES) {
      await journal.append(body);
      pass(LATER_MS);
    }
    const isDone = await journal.review(async ([body]) => `${body}` !== texts[1]);
    assert.equal(isDone, false);
    assert.deepEqual((await review(journal, true)).asked, [[texts[1]]]);
  });

  test('keeps all of it while the ledger does not answer', async () => {
    const journal = await openJournal(folder);
    for (const body of BODIES) await journal.append(body);
    pass(LATER_MS);
    const down = async () => {
      throw new Error('the database is down');
    };
    await assert.rejects(journal.review(down), /the database is down/);
    await journal.append(Buffer.from('meanwhile'));
    pass(LATER_MS);
    assert.deepEqual((await review(journal, true)).asked, [texts, ['meanwhile']]);
  });

  test('reads every whole line, wherever a write was cut off, and what was written after it', () => {
    const [first = '', second = '', third = ''] = ['one', 'two', 'six'].map((body) =>
      lineOf(Buffer.from(body)),
    );
    for (let length = 0; length <= second.length; length += 1) {
      const cut = second.slice(0, length);
      const isWhole = length >= second.length - 1; // but for the newline at its end
      const { bodies, torn } = readLines(first + cut + third);
      assert.deepEqual(bodies.map(String), isWhole ? ['one', 'two', 'six'] : ['one', 'six']);
      assert.equal(torn.join(), isWhole ? '' : cut.replace('\n', ''));
    }
  });

  test('keeps a file with a torn line aside, once the rest is settled', async () => {
    const journal = await openJournal(folder);
    await journal.append(Buffer.from('whole'));
    pass(LATER_MS);
    const [name = ''] = readdirSync(folder);
    appendFileSync(join(folder, name), 'a write that a kill has cut off');
    assert.deepEqual((await review(journal, true)).asked, [['whole']]);
    assert.deepEqual(readdirSync(folder), [`${name}.torn`]);
  });
});

describe('a receiver', () => {
  /** @type {import('./engines.js').Engine} */
  let engine;
  /** @type {import('../merchant/database.js').Database} */
  let database;
  before(async () => {
    engine = await openPGlite();
    database = (await engine.create('confirm')).open();
    await createTables(database);
  });
  after(async () => {
    await database.close();
    await engine.close();
  });

  test('a receiver asks the ledger for what it neither has booked nor holds', async () => {
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
  });

  test('appends a body again that the ledger lacks, but not without end', async () => {
    /** @type {string[]} */
    const appended = [];
    let isBehind = true;
    const areSettled = createConfirmation({
      query: database.query,
      isBehind: async () => isBehind,
      append: async (body) => appended.push(`${body}`),
    });
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-journal-'));
    let elapsed = 0;
    const journal = await open(folder, () => elapsed);
    const lacking = withdrawalBroadcastBody({}, { seed: 4 });
    const booked = withdrawalBroadcastBody({}, { seed: 5 });
    await settle(database.query, Buffer.from(booked));
    for (const body of [lacking, booked]) {
      await journal.append(Buffer.from(body));
      elapsed += LATER_MS;
    }
    // It most likely waits in the stream.
    await assert.rejects(journal.review(areSettled), /the settlers are behind/);
    isBehind = false;
    for (let reviews = 0; reviews < 20; reviews += 1)
      assert.equal(await journal.review(areSettled), false);
    assert.deepEqual(appended, Array(5).fill(lacking));
    assert.equal(readdirSync(folder).length, 1);
    await settle(database.query, Buffer.from(lacking));
    assert.equal(await journal.review(areSettled), true);
    rmSync(folder, { recursive: true });
  });
});
