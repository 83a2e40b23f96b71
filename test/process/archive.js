// Has the built command check an archive of 2 million bodies on one core of a Linux machine, and prints the table of
// docs/command.md: how fast that was, and how much memory it took. node test/process/archive.js [COUNT]

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { COMMAND } from './command.js';

/** Every so many bodies, one is refused, and one comes again with another amount. */
const PERIOD = 1000;

/**
 * Writes an archive of deposits and withdrawals.
 *
 * @param {string} file
 * @param {number} count
 */
function writeArchive(file, count) {
  for (let start = 0; start < count; start += PERIOD) {
    const lines = Array.from({ length: PERIOD - 2 }, (_, index) =>
      index % 2 === 0
        ? withdrawalBroadcastBody({}, { seed: start + index })
        : depositReceivedBody({}, { seed: start + index }),
    );
    lines.push(depositReceivedBody({ settlementAmount: '950.26' }, { seed: start + 1 }), '{}');
    appendFileSync(file, `${lines.join('\n')}\n`);
  }
}

/**
 * The cells of the table about a check that remembers so many keys.
 *
 * @param {string} file
 * @param {number} count A multiple of the period.
 * @param {string} limit
 */
function timeCheck(file, count, limit) {
  const times = `${file}.times`;
  const { stdout, stderr, status } = spawnSync(
    '/usr/bin/time',
    [
      ...['-q', '-o', times, '-f', '%U %S %M', 'taskset', '-c', '0', process.execPath],
      ...['--max-old-space-size=512', COMMAND, 'check', '--json', '--keys', limit, file],
    ],
    { encoding: 'utf8', maxBuffer: 1e9 },
  );
  assert.equal(status, 1, stderr);
  const { counts, keys: found } = JSON.parse(stdout);
  const periods = count / PERIOD;
  assert.deepEqual([counts.lines, counts.refused, counts.valid], [count, periods, count - periods]);
  assert.equal(found.different + found.repeated + found.unremembered, counts.valid);
  assert.equal(found.conflicting, found.repeated);
  const [user = 0, system = 0, kibibytes = 0] = readFileSync(times, 'utf8').split(' ').map(Number);
  // Not of the clock's time, of which other processes take their share.
  const seconds = user + system;
  return [
    `${seconds.toFixed(1)} s`,
    Math.round(count / seconds).toLocaleString('en'),
    `${Math.round((kibibytes * 1024) / 1e6)} MB`,
  ];
}

const count = Number(process.argv[2] ?? 2_000_000);
const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
try {
  const file = join(folder, 'archive.ndjson');
  writeArchive(file, count);
  const date = new Date().toISOString().slice(0, 10);
  const size = `${count.toLocaleString('en')} bodies, ${(statSync(file).size / 1e9).toFixed(2)} GB`;
  console.log(`${size}, ${cpus()[0]?.model.trim()}, Node.js ${process.version}, ${date}\n`);
  console.log('| `--keys` | CPU time | bodies a second of it | peak memory |');
  console.log('| --- | --- | --- | --- |');
  for (const limit of ['500000', '0']) {
    console.log(`| ${[limit, ...timeCheck(file, count, limit)].join(' | ')} |`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
