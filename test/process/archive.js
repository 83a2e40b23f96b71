// An archive of bodies with planted faults, whose numbers are known. Run as a program on Linux, it has the
// built command check 2 million of them, and prints the table of docs/command.md: how fast that was, and how
// much memory it took. node test/process/archive.js [COUNT]

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { COMMAND } from './command.js';

/** What is planted in each thousand lines but the first; the other lines are events of their own. */
const PLANTED = 8;

/**
 * Writes an archive.
 *
 * @param {string} file
 * @param {number} count A multiple of a thousand.
 * @returns What the command must find, but for the places.
 */
export function writeArchive(file, count) {
  const output = openSync(file, 'w');
  let text = '';
  for (let n = 0; n < count; n += 1) {
    text += `${lineOf(n)}\n`;
    if (text.length < 1_000_000 && n < count - 1) continue;
    writeSync(output, text);
    text = '';
  }
  closeSync(output);
  const of = Math.floor(count / 1000) - 1;
  return {
    counts: {
      lines: count,
      blank: of,
      valid: count - 4 * of,
      warnings: of,
      refused: of,
      noBody: of,
    },
    kinds: [
      { verdict: 'warnings', code: 'unknown_value', field: 'rateType', count: of },
      { verdict: 'refused', code: 'missing_field', field: 'settlementAmount', count: of },
      { verdict: 'noBody', code: 'invalid_json', field: 'body', count: of },
    ],
    keys: {
      different: count - 7 * of,
      repeated: 4 * of,
      unremembered: 0,
      conflicting: 3 * of,
      differing: { amount: of, currency: of, account: of },
    },
  };
}

/**
 * What the command's JSON says of what may be planted.
 *
 * @param {import('../../src/cli/check-report.js').CheckResult} result
 */
export function foundIn({ counts, kinds, keys }) {
  const { different, repeated, unremembered, conflicting, differing } = keys;
  return {
    counts,
    kinds: kinds.map(({ verdict, code, field, count }) => ({ verdict, code, field, count })),
    keys: { different, repeated, unremembered, conflicting, differing },
  };
}

/** @param {number} n */
function lineOf(n) {
  const planted = n < 1000 ? PLANTED : n % 1000;
  // Of an event that came a few lines before.
  const seed = n - PLANTED - 1;
  switch (planted) {
    case 0:
      return '';
    case 1:
      return depositReceivedBody({ rateType: /** @type {'FIXED'} */ ('CAPPED') }, { seed: n });
    case 2:
      return depositReceivedBody({ settlementAmount: undefined }, { seed: n });
    case 3:
      return depositReceivedBody({}, { seed: n }).slice(0, -1);
    case 4:
      return bodyOf(seed)
        .replace(/"(\d+\.\d+)"/g, '$10')
        .replace('deducted', 'deduced');
    case 5:
      return bodyOf(seed, { actualDisplayAmount: '950.24' });
    case 6:
      return bodyOf(seed, { settlementCurrency: 'CHF' });
    case 7:
      return n % 2 === 0
        ? bodyOf(seed, { clientPaymentId: 'x' })
        : bodyOf(seed, { toTxAddress: 'rExampleXrpAddress111111111111111?dt=48292' });
    default:
      return bodyOf(n);
  }
}

/**
 * @param {number} seed
 * @param {Record<string, string>} [overrides]
 */
function bodyOf(seed, overrides) {
  return seed % 2 === 0
    ? withdrawalBroadcastBody(overrides, { seed })
    : depositReceivedBody(overrides, { seed });
}

/** @param {number} count A multiple of a thousand, from 2000 on. */
async function measure(count) {
  const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
  try {
    const plain = join(folder, 'archive.ndjson');
    const zipped = join(folder, 'archive.ndjson.gz');
    const expected = writeArchive(plain, count);
    await pipeline(createReadStream(plain), createGzip(), createWriteStream(zipped));

    const cores = availableParallelism();
    console.log(
      `${count.toLocaleString('en')} bodies, ${cpus()[0]?.model.trim()}, ${cores} cores,`,
    );
    const [busy = 0] = loadavg();
    const date = new Date().toISOString().slice(0, 10);
    console.log(`Node.js ${process.version}, ${date}, load at the start ${busy.toFixed(1)}\n`);
    console.log('| archive | cores | bodies a second | CPU time | peak memory |');
    console.log('| --- | --- | --- | --- | --- |');
    for (const { name, file } of [
      { name: 'plain', file: plain },
      { name: 'gzip', file: zipped },
    ]) {
      const size = `${(statSync(file).size / 1e9).toFixed(2)} GB`;
      for (const used of cores > 1 ? [1, cores] : [1]) {
        const { rate, cpu, memory } = timeCheck(file, count, used, expected);
        const figures = [rate.toLocaleString('en'), `${cpu.toFixed(1)} s`, `${memory} MB`];
        console.log(`| ${[`${name}, ${size}`, used, ...figures].join(' | ')} |`);
      }
    }
    console.log('\nEach time, exactly what was planted was found.');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Has the command check an archive on the first cores.
 *
 * @param {string} file
 * @param {number} count
 * @param {number} cores
 * @param {ReturnType<typeof writeArchive>} expected
 */
function timeCheck(file, count, cores, expected) {
  const times = `${file}.times`;
  const { stdout, stderr, status } = spawnSync(
    '/usr/bin/time',
    ['-q', '-o', times, '-f', '%U %S %M', 'taskset', '-c', `0-${cores - 1}`].concat(
      [process.execPath, COMMAND, 'check', '--json'],
      // Every key is remembered.
      ['--keys', `${count}`, file],
    ),
    { encoding: 'utf8', maxBuffer: 1e9 },
  );
  // What is planted makes it exit with 1.
  assert.equal(status, 1, stderr);
  const result = JSON.parse(stdout);
  assert.deepStrictEqual(foundIn(result), expected);
  const [user = 0, system = 0, kibibytes = 0] = readFileSync(times, 'utf8').split(' ').map(Number);
  return {
    rate: Math.round((count / result.durationMs) * 1000),
    cpu: user + system,
    memory: Math.round((kibibytes * 1024) / 1e6),
  };
}

if (process.argv[1] === import.meta.filename) await measure(Number(process.argv[2] ?? 2_000_000));
