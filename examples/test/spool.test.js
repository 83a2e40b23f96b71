// The spool, cut off at every byte.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  promises,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, beforeEach, describe, test } from 'node:test';
import { bodyOf, openSpool as open, readLines } from '../merchant/spool.js';

const BODIES = ['{"first":1}', '', 'the third\nhas\0bytes \u00e9'].map((text) => Buffer.from(text));

describe('the spool', () => {
  const root = mkdtempSync(join(tmpdir(), 'merchant-spool-'));
  /** @type {Awaited<ReturnType<typeof open>>[]} */
  const opened = [];
  after(async () => {
    for (const spool of opened) await spool.close();
    rmSync(root, { recursive: true });
  });
  /** @param {string} path @param {number} [maxBytes] */
  async function openSpool(path, maxBytes) {
    const spool = await open(path, maxBytes);
    opened.push(spool);
    return spool;
  }
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(root, 'spool-'));
  });
  const file = (/** @type {string} */ name) => join(folder, name);

  /** @param {Awaited<ReturnType<typeof open>>} spool */
  async function drained(spool) {
    /** @type {string[]} */
    const bodies = [];
    await spool.drain(async (body) => bodies.push(body.toString()));
    return bodies;
  }
  const texts = BODIES.map(String);

  test('gives back what was appended, in order, once', async () => {
    const spool = await openSpool(folder);
    await Promise.all([...BODIES, ...BODIES].map((body) => spool.append(body)));
    assert.equal((await spool.status()).bodies, 3);
    const reopened = await openSpool(folder);
    assert.deepEqual(await drained(reopened), texts);
    assert.deepEqual(await drained(reopened), []);
    assert.deepEqual(await drained(await openSpool(folder)), []);
    assert.deepEqual(await reopened.status(), { bodies: 0, bytes: 0, oldest: null, tornBytes: 0 });
  });

  test('loses no complete line, wherever the file ends, and keeps the torn one aside', async () => {
    const spool = await openSpool(folder);
    /** How long the file was when each was promised. @type {number[]} */
    const promised = [];
    for (const body of BODIES) {
      await spool.append(body);
      promised.push(readFileSync(file('spool')).length);
    }
    const whole = readFileSync(file('spool'));
    for (let length = 0; length <= whole.length; length += 1) {
      folder = mkdtempSync(join(root, 'cut-'));
      writeFileSync(file('spool'), whole.subarray(0, length));
      const cut = await openSpool(folder);
      const { tornBytes } = await cut.status();
      await cut.append(Buffer.from('later'));
      const found = await drained(await openSpool(folder));
      const kept = promised.filter((end) => end <= length).length;
      assert.deepEqual(found.slice(0, kept), texts.slice(0, kept), `cut at ${length}`);
      assert.equal(found.at(-1), 'later', `cut at ${length}`);
      // One more may be there: all but the newline at its end was written.
      assert(found.length - 1 - kept <= 1);
      const from = promised[found.length - 2] ?? 0;
      const rest = whole.toString('latin1', from, length).replaceAll('\n', '');
      assert.equal(tornBytes, rest === '' ? 0 : rest.length + 1, `cut at ${length}`);
      if (tornBytes > 0) assert.equal(readFileSync(file('spool.torn'), 'latin1'), `${rest}\n`);
    }
  });

  test('puts a damaged line aside, and no other', async () => {
    const spool = await openSpool(folder);
    for (const body of BODIES) await spool.append(body);
    const whole = readFileSync(file('spool'), 'latin1');
    const at = whole.indexOf(BODIES[0]?.toString('base64') ?? '');
    writeFileSync(file('spool'), `${whole.slice(0, at)}XXXX${whole.slice(at + 4)}`, 'latin1');
    appendFileSync(file('spool'), Buffer.from([0xff, 0x00, 0x0a]));
    const damaged = await openSpool(folder);
    assert.deepEqual(await drained(damaged), texts.slice(1));
    assert((await damaged.status()).tornBytes > 80);
  });

  test('spoils no line with a write that a full disk cut off', async () => {
    const spool = await openSpool(folder);
    appendFileSync(file('spool'), 'the beginning of a line');
    for (const body of BODIES) await spool.append(body);
    const reopened = await openSpool(folder);
    assert.deepEqual(await drained(reopened), texts);
    assert.equal(readFileSync(file('spool.torn'), 'utf8'), 'the beginning of a line\n');
  });

  test('keeps what could not be settled, and tries a few more, but not all', async () => {
    const spool = await openSpool(folder);
    for (const body of BODIES) await spool.append(body);
    /** @type {string[]} */
    const settled = [];
    const drain = spool.drain(async (body) => {
      if (body.length === 0) throw new Error('not this one');
      settled.push(body.toString());
    });
    await assert.rejects(drain, /not this one/);
    assert.deepEqual(settled, [texts[0], texts[2]]);
    assert.deepEqual(await drained(await openSpool(folder)), [texts[1]]);

    const many = await openSpool(folder);
    for (let count = 0; count < 10; count += 1) await many.append(Buffer.from(`${count}`));
    let tries = 0;
    await assert.rejects(
      many.drain(async () => {
        tries += 1;
        throw new Error('the database is down');
      }),
    );
    assert.equal(tries, 3);
    assert.equal((await many.status()).bodies, 10);
  });

  test('goes past bodies that fail every time, to all the others', async () => {
    const spool = await openSpool(folder);
    for (const failing of [1, 2, 3, 4]) await spool.append(Buffer.from(`failing ${failing}`));
    for (const body of BODIES) await spool.append(body);
    /** @type {string[]} */
    const settled = [];
    const settle = async (/** @type {Buffer} */ body) => {
      if (`${body}`.startsWith('failing')) throw new Error('not this one');
      settled.push(`${body}`);
    };
    for (let round = 0; round < 2; round += 1) await assert.rejects(spool.drain(settle));
    assert.deepEqual(settled, texts);
    assert.equal((await spool.status()).bodies, 4);
  });

  test('loses no body that it promised, whichever file it fails to open while it is drained', async (t) => {
    t.mock.method(console, 'error', () => {});
    const { open: openFile } = promises;
    after(() => {
      promises.open = openFile;
      syncBuiltinESMExports();
    });
    let opened = 0;
    for (let failing = 1; failing <= 6; failing += 1) {
      folder = mkdtempSync(join(root, 'open-'));
      const spool = await openSpool(folder);
      for (const body of BODIES) await spool.append(body);
      opened = 0;
      promises.open = async (...args) => {
        opened += 1;
        if (opened === failing) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
        return openFile(...args);
      };
      syncBuiltinESMExports();
      await drained(spool).catch(() => {});
      const promised = ['later'];
      await spool.append(Buffer.from('later')).catch(() => promised.pop());
      promises.open = openFile;
      syncBuiltinESMExports();
      const { whole } = readLines(readFileSync(file('spool'), 'latin1'));
      const found = [...whole.values()].map((line) => `${bodyOf(line)}`);
      assert.deepEqual(found.slice(-1), promised, `file ${failing}`);
      await drained(spool);
      assert.equal(readFileSync(file('spool'), 'latin1'), '');
    }
    assert(opened > 0);
  });

  test('takes bodies while it is drained', async () => {
    const spool = await openSpool(folder);
    await spool.append(Buffer.from('before'));
    await spool.drain(async () => spool.append(Buffer.from('meanwhile')));
    assert.deepEqual(await drained(await openSpool(folder)), ['meanwhile']);
  });

  test('refuses what is over its limit, and takes what fits again', async () => {
    const spool = await openSpool(folder, 400);
    await spool.append(Buffer.alloc(100, 'a'));
    await assert.rejects(spool.append(Buffer.alloc(200, 'b')), /the spool is full/);
    assert.equal((await spool.status()).bodies, 1);
    await drained(spool);
    await spool.append(Buffer.alloc(200, 'b'));
    assert.deepEqual(await drained(await openSpool(folder)), ['b'.repeat(200)]);
  });

  test('has every body that it promised after SIGKILL', async () => {
    // Appends without a pause, drains at times, and prints what was promised and what was settled.
    const program = `
      import { openSpool } from ${JSON.stringify(new URL('../merchant/spool.js', import.meta.url))};
      const spool = await openSpool(${JSON.stringify(folder)});
      for (let count = Number(process.argv[1]); ; count += 1) {
        await spool.append(Buffer.from('body ' + count));
        process.stdout.write('promised ' + count + '\\n');
        if (count % 10 === 0) await spool.drain(async (body) => process.stdout.write('settled ' + String(body).slice(5) + '\\n'));
      }`;
    const promised = new Set();
    const settled = new Set();
    for (let round = 0; round < 8; round += 1) {
      const child = spawn(
        process.execPath,
        ['--input-type=module', '--eval', program, `${round * 1_000_000}`],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const exited = once(child, 'exit');
      let lines = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        const [what, count] = line.split(' ');
        (what === 'promised' ? promised : settled).add(count);
        lines += 1;
        if (lines === 20 + round * 7) child.kill('SIGKILL');
      }
      await exited;
    }
    for (const body of await drained(await openSpool(folder))) settled.add(body.slice(5));
    assert(promised.size > 100);
    assert.deepEqual(
      [...promised].filter((count) => !settled.has(count)),
      [],
    );
  });
});
