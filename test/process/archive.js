// An archive of bodies with planted faults, whose numbers are known. Run as a program, it has the built
// command check 2 million of them, and tells how fast that was and how much memory it took:
// node test/process/archive.js [COUNT]

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
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
      { verdict: 'no body', code: 'invalid_json', field: 'body', count: of },
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

/** @param {number} count */
function measure(count) {
  const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
  const file = join(folder, 'archive.ndjson');
  const expected = writeArchive(file, count);
  const times = join(folder, 'times');
  console.log(
    `${count} lines, ${statSync(file).size} bytes, ${cpus()[0]?.model}, Node.js ${process.version}`,
  );
  for (const pinned of [['taskset', '-c', '0'], []]) {
    const [program = '', ...args] = ['/usr/bin/time', '-o', times, '-f', '%U %S %M', ...pinned];
    let out = '';
    try {
      const command = [
        ...args,
        process.execPath,
        COMMAND,
        'check',
        '--json',
        '--keys',
        '4000000',
        file,
      ];
      out = execFileSync(program, command, { encoding: 'utf8', maxBuffer: 1e9 });
    } catch (error) {
      // What is planted makes it exit with 1.
      out = /** @type {{ stdout: string }} */ (error).stdout;
    }
    const result = JSON.parse(out);
    assert.deepStrictEqual(foundIn(result), expected);
    const [user, system, memory] =
      execFileSync('cat', [times], { encoding: 'utf8' })
        .split('\n')
        .at(-2)
        ?.split(' ')
        .map(Number) ?? [];
    console.log({
      cores: pinned.length > 0 ? 1 : 'all',
      bodiesPerSecond: Math.round((count / result.durationMs) * 1000),
      bodiesPerSecondOfCpu: Math.round(count / ((user ?? 0) + (system ?? 0))),
      peakMegabytes: Math.round((memory ?? 0) / 1000),
    });
  }
  rmSync(folder, { recursive: true });
}

if (process.argv[1] === import.meta.filename) measure(Number(process.argv[2] ?? 2_000_000));
