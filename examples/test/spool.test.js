// The spool, on a disk that fails it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  mkdtempSync,
  promises,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { openSpool } from '../merchant/spool.js';

const TEXTS = ['', 'the second\nhas\0bytes \u00e9', '{"third":3}'];
const BODIES = TEXTS.map((text) => Buffer.from(text));

describe('the spool', () => {
  const root = mkdtempSync(join(tmpdir(), 'merchant-spool-'));
  after(() => rmSync(root, { recursive: true }));
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(root, 'spool-'));
  });

  /** @param {Awaited<ReturnType<typeof openSpool>>} spool */
  async function drained(spool) {
    /** @type {string[]} */
    const bodies = [];
    await spool.drain(async (body) => bodies.push(`${body}`));
    return bodies.sort();
  }

  test('gives back what was appended, once', async () => {
    const spool = await openSpool(folder);
    await Promise.all([...BODIES, ...BODIES].map((body) => spool.append(body)));
    assert.equal(spool.status().bodies, 3);
    const reopened = await openSpool(folder);
    assert.deepEqual(reopened.status(), { ...spool.status(), oldest: reopened.status().oldest });
    assert.deepEqual(await drained(reopened), TEXTS);
    assert.deepEqual(await drained(reopened), []);
    const empty = { bodies: 0, bytes: 0, oldest: null, torn: 0 };
    assert.deepEqual((await openSpool(folder)).status(), empty);
  });

  test('settles no body that was cut off, wherever, and takes it when it comes again', async () => {
    const [, , body = Buffer.of()] = BODIES;
    for (let length = 0; length < body.length; length += 1) {
      folder = mkdtempSync(join(root, 'cut-'));
      const before = await openSpool(folder);
      await before.append(body);
      const [name = ''] = readdirSync(join(folder, 'spool'));
      await before.append(Buffer.from('another'));
      truncateSync(join(folder, 'spool', name), length);
      const spool = await openSpool(folder);
      assert.equal(spool.status().torn, 1);
      assert.deepEqual(await drained(spool), ['another']);
      await spool.append(body);
      assert.equal(spool.status().torn, 0);
      assert.deepEqual(await drained(spool), [`${body}`]);
    }
  });

  test('keeps what fails and tries a few of them, but comes to all the others', async () => {
    const spool = await openSpool(folder);
    const failing = [1, 2, 3, 4].map((number) => `failing ${number}`);
    for (const body of [...failing, ...TEXTS]) await spool.append(Buffer.from(body));
    /** @type {string[]} */
    const settled = [];
    let tries = 0;
    const settle = async (/** @type {Buffer} */ body) => {
      tries += 1;
      if (`${body}`.startsWith('failing')) throw new Error('not this one');
      settled.push(`${body}`);
    };
    await assert.rejects(spool.drain(settle), /not this one/);
    assert.equal(tries, 3);
    await assert.rejects(spool.drain(settle), /not this one/);
    assert.deepEqual(settled, TEXTS);
    assert.deepEqual(await drained(await openSpool(folder)), failing);
  });

  test('loses no body that it promised, whichever use of the disk fails', async () => {
    const uses = /** @type {const} */ (['open', 'writeFile', 'readFile', 'rm']);
    const real = { ...promises };
    const restore = () => {
      Object.assign(promises, real);
      syncBuiltinESMExports();
    };
    after(restore);
    let used = Number.POSITIVE_INFINITY;
    for (let failing = 1; failing <= used; failing += 1) {
      folder = mkdtempSync(join(root, 'failing-'));
      const spool = await openSpool(folder);
      await spool.append(Buffer.from('before'));
      used = 0;
      for (const use of uses) {
        Object.assign(promises, {
          [use]: async (/** @type {any[]} */ ...args) => {
            used += 1;
            if (used === failing) throw new Error('EMFILE');
            return Reflect.apply(real[use], promises, args);
          },
        });
      }
      syncBuiltinESMExports();
      const settled = await drained(spool).catch(() => []);
      const promised = ['before', 'later'];
      await spool.append(Buffer.from('later')).catch(() => promised.pop());
      restore();
      const found = await drained(await openSpool(folder));
      assert.deepEqual(new Set([...settled, ...found]), new Set(promised), `use ${failing}`);
    }
    assert(used >= 4);
  });

  test('settles bodies of an earlier process in the order in which they came', async () => {
    const spool = await openSpool(folder);
    for (const body of BODIES) await spool.append(body);
    const files = join(folder, 'spool');
    const digests = BODIES.map((body) => createHash('sha256').update(body).digest('hex'));
    for (const [index, name] of digests.entries()) utimesSync(join(files, name), index, index);
    /** @type {string[]} */
    const settled = [];
    await (await openSpool(folder)).drain(async (body) => settled.push(`${body}`));
    assert.deepEqual(settled, TEXTS);
  });

  test('settles no body that was changed or deleted on the disk, and takes it when it comes again', async () => {
    const body = Buffer.from('{"amount":1.25}');
    for (const harm of [(file = '') => writeFileSync(file, '{"amount":9.25}'), rmSync]) {
      const spool = await openSpool(folder);
      await spool.append(body);
      const before = spool.status();
      harm(join(folder, 'spool', `${readdirSync(join(folder, 'spool'))}`));
      await assert.rejects(drained(spool), /damaged on the disk|ENOENT/);
      assert.deepEqual(spool.status(), before);
      await spool.append(body);
      assert.deepEqual(spool.status(), before);
      assert.deepEqual(await drained(spool), [`${body}`]);
    }
  });

  test('takes bodies while it is drained', async () => {
    const spool = await openSpool(folder);
    await spool.append(Buffer.from('before'));
    await spool.drain(async () => spool.append(Buffer.from('meanwhile')));
    assert.deepEqual(await drained(await openSpool(folder)), ['meanwhile']);
  });

  test('refuses what is over its limit, and takes what fits again', async () => {
    const spool = await openSpool(folder, 250);
    await spool.append(Buffer.alloc(100, 'a'));
    await assert.rejects(spool.append(Buffer.alloc(200, 'b')), /the spool is full/);
    assert.equal(spool.status().bodies, 1);
    await drained(spool);
    await spool.append(Buffer.alloc(200, 'b'));
    assert.deepEqual(await drained(await openSpool(folder)), ['b'.repeat(200)]);
  });
});
