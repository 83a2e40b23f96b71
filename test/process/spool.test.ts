import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSpool } from 'payment-notifications/spool';
import { expect, test } from 'vitest';
import { isFull } from '../package/pack.js';

/** More each night, because a kill meets a moment of a save by chance. */
const KILLS = isFull ? 50 : 10;

/** Saves one body after the other, and settles those of both processes. Says both on its output. */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { createSpool } from 'payment-notifications/spool';
  const [, folder] = process.argv;
  const { save, start } = createSpool(folder);
  start(async (body) => {
    writeSync(1, 'settled ' + body.length + ' ' + Buffer.from(body.subarray(0, 36)) + '\\n');
    return { status: 200 };
  }, { everyMs: 1 });
  for (;;) {
    const id = crypto.randomUUID();
    await save(Buffer.from(id.padEnd(${50_000})));
    writeSync(1, 'saved ' + id + '\\n');
  }`;

test(`two processes on one folder, killed ${KILLS} times each, lose nothing that was saved`, async () => {
  const base = fs.mkdtempSync(join(tmpdir(), 'spool-'));
  const folder = join(base, 'unsettled');
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
  fs.writeFileSync(join(folder, `.${id}`), id.padEnd(50_000));
  saved.push(`50000 ${id}`);
  // A draft is that of a crash once it is old enough.
  for (const name of fs.readdirSync(folder)) fs.utimesSync(join(folder, name), 0, 0);
  const stop = createSpool(folder).start(async (body) => {
    settled.add(`${body.length} ${Buffer.from(body.subarray(0, 36))}`);
    return { status: 200 };
  });
  while (fs.readdirSync(folder).length > 0) await sleep(10);
  await stop();
  expect(saved.length).toBeGreaterThanOrEqual(2 * KILLS);
  expect(saved.filter((body) => !settled.has(body))).toStrictEqual([]);
  fs.rmSync(base, { recursive: true });
});
