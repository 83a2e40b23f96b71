import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createStore } from 'payment-notifications/store';
import { expect, test } from 'vitest';
import { isFull } from '../package/pack.js';

/** More each night, because a kill meets a moment of a save by chance. */
const KILLS = isFull ? 50 : 10;

/** Saves one body after the other, and settles those of both processes. Says both on its output. */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { createStore } from 'payment-notifications/store';
  const store = createStore(process.argv[1]);
  async function settle() {
    for (const name of await store.list()) {
      const body = await store.read(name);
      if (!body) continue;
      writeSync(1, 'settled ' + body.length + ' ' + Buffer.from(body.subarray(0, 36)) + '\\n');
      await store.remove(name);
    }
    setTimeout(settle, 1);
  }
  settle();
  for (;;) {
    const name = crypto.randomUUID();
    const body = Buffer.from(name.padEnd(${50_000}));
    await store.save({ to: 'retry', name, body, key: null, reason: 'no' });
    writeSync(1, 'saved ' + name + '\\n');
  }`;

test(`two processes on one folder, killed ${KILLS} times each, lose nothing that was saved`, async () => {
  const base = fs.mkdtempSync(join(tmpdir(), 'store-'));
  const folder = join(base, 'webhooks');
  const saved: string[] = [];
  const settled = new Set<string>();

  /** Kills a process after it has saved so many bodies: while it does what comes next. */
  async function killAfter(count: number) {
    const args = ['--input-type=module', '--eval', PROGRAM, folder];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let left = count;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, ...rest] = line.split(' ');
      if (what === 'settled') return settled.add(rest.join(' '));
      left -= 1;
      if (left === 0) child.kill('SIGKILL');
      return saved.push(`50000 ${rest[0]}`);
    });
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGKILL');
  }
  const killOften = async () => {
    for (let index = 0; index < KILLS; index += 1) await killAfter(1 + (index % 4));
  };
  await Promise.all([killOften(), killOften()]);

  // What the kills left is chance: on a busy machine, it was nothing. So this draft is added.
  const id = randomUUID();
  const retry = join(folder, 'retry');
  fs.writeFileSync(join(retry, `.${id}`), id.padEnd(50_000));
  saved.push(`50000 ${id}`);
  // A draft is that of a crash once it is old enough.
  for (const name of fs.readdirSync(retry)) fs.utimesSync(join(retry, name), 0, 0);
  const store = createStore(folder);
  for (const name of await store.list()) {
    const body = await store.read(name);
    settled.add(`${body?.length} ${Buffer.from(body?.subarray(0, 36) ?? '')}`);
    await store.remove(name);
  }
  expect(fs.readdirSync(retry).filter((name) => !name.endsWith('.txt'))).toStrictEqual([]);
  expect(saved.length).toBeGreaterThanOrEqual(2 * KILLS);
  expect(saved.filter((body) => !settled.has(body))).toStrictEqual([]);
  fs.rmSync(base, { recursive: true });
});
