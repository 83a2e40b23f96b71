// What a receiver of the pipeline keeps on its disk, and when it lets go of it.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, mock, test } from 'node:test';
import { openJournal } from '../pipeline/journal.js';

const BODIES = ['{"first":1}', '', 'the third\nhas\0bytes \u00e9'].map((text) => Buffer.from(text));
const TEXTS = BODIES.map(String);
/** After which a file is looked at. */
const LATER_MS = 10_000;

const root = mkdtempSync(join(tmpdir(), 'pipeline-journal-'));
/** By the monotonic clock, in milliseconds. */
let elapsed = 0;
before(() => mock.method(performance, 'now', () => elapsed));
after(() => rmSync(root, { recursive: true }));
let folder = '';
/** @type {Awaited<ReturnType<typeof openJournal>>} */
let journal;
beforeEach(async () => {
  folder = mkdtempSync(join(root, 'journal-'));
  journal = await openJournal(folder);
});

/** What is asked for, once time has passed. @param {boolean} areSettled The answer. */
async function review(areSettled, of = journal, after = LATER_MS) {
  elapsed += after;
  /** @type {string[][]} */
  const asked = [];
  await of.review(async (bodies) => {
    asked.push(bodies.map(String));
    return areSettled;
  });
  return asked;
}

test('keeps every body until it is settled, and leaves it alone at first', async () => {
  await Promise.all([...BODIES, ...BODIES].map((body) => journal.append(body)));
  assert.deepEqual(await review(true, journal, LATER_MS - 1), []);
  assert.deepEqual(await review(false, journal, 1), [TEXTS]);
  assert.deepEqual(await review(true, journal, LATER_MS - 1), []);
  const down = async () => {
    throw new Error('the database is down');
  };
  elapsed += 1;
  await assert.rejects(journal.review(down), /the database is down/);
  // Another process finds it.
  const next = await openJournal(folder);
  assert.deepEqual(await review(true, next), [TEXTS]);
  assert.deepEqual(readdirSync(folder), []);
  assert.deepEqual(await review(true, next), []);
});

test('answers after the disk has synced, once for all that came while it was busy', async () => {
  const directory = await open(folder);
  await directory.close();
  const handles = Object.getPrototypeOf(directory);
  const { datasync } = handles;
  /** How many bodies were in the file at each sync. @type {number[]} */
  const synced = [];
  const spy = mock.method(handles, 'datasync', async function () {
    const text = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8');
    // @ts-expect-error It is called on a handle.
    await datasync.call(this);
    synced.push(text.trim().split('\n').length);
  });
  const first = journal.append(Buffer.from('first')).then(() => [...synced]);
  await new Promise(setImmediate);
  const others = Array.from({ length: 50 }, (_, count) => journal.append(Buffer.from(`${count}`)));
  assert.deepEqual(await first, [1]);
  await Promise.all(others);
  spy.mock.restore();
  assert.deepEqual(synced, [1, 51]);
});

test('is looked at again after its clock was a year ahead, by this process and the next', async () => {
  const now = Date.now();
  mock.timers.enable({ apis: ['Date'], now: now + 365 * 86_400_000 });
  const ahead = await openJournal(folder);
  await ahead.append(Buffer.from('from the future'));
  mock.timers.setTime(now);
  const next = await openJournal(folder);
  assert.deepEqual(await review(false, next), [['from the future']]);
  assert.deepEqual(await review(true, ahead), [['from the future']]);
  assert.deepEqual(readdirSync(folder), []);
  mock.timers.reset();
});

test('lets go of what is settled, past a body that is not, and counts how often it was not', async () => {
  for (const body of BODIES) {
    await journal.append(body);
    elapsed += LATER_MS;
  }
  /** @type {[body: string, lacked: number][]} */
  const asked = [];
  for (let reviews = 0; reviews < 3; reviews += 1) {
    await journal.review(async ([body], lacked) => {
      asked.push([`${body}`, lacked]);
      return `${body}` !== TEXTS[0];
    });
    elapsed += LATER_MS;
  }
  const [first = '', ...others] = TEXTS;
  const settled = others.map((text) => [text, 0]);
  assert.deepEqual(asked, [[first, 0], ...settled, [first, 1], [first, 2]]);
  assert.equal(readdirSync(folder).length, 1);
});

test('keeps a file with a torn line aside, once the rest is settled', async () => {
  await journal.append(Buffer.from('whole'));
  const [name = ''] = readdirSync(folder);
  appendFileSync(join(folder, name), 'a write that a kill has cut off');
  assert.deepEqual(await review(true), [['whole']]);
  assert.deepEqual(readdirSync(folder), [`${name}.torn`]);
});
