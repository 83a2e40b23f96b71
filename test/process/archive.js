// Measures on one core of a Linux machine how fast the built command checks an archive, beside the parser alone, and how
// much memory it takes; prints the table of docs/command.md. node test/process/archive.js [BODIES]

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { COMMAND } from './command.js';

/** One body of so many is refused. */
const PERIOD = 1000;

/** Parses the lines of a file, which are in memory by then, and prints the CPU time in seconds. */
const PARSER_ALONE = `
  import { readFileSync } from 'node:fs';
  import { safeParseNotification } from 'payment-notifications';
  const file = readFileSync(process.argv[1]);
  const lines = [];
  for (let start = 0, end; (end = file.indexOf(10, start)) !== -1; start = end + 1) {
    lines.push(file.subarray(start, end));
  }
  const before = process.cpuUsage();
  for (const line of lines) safeParseNotification(line);
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1e6);
`;

const count = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
try {
  const file = join(folder, 'archive.ndjson');
  for (let seed = 1; seed < count; seed += PERIOD) {
    const lines = Array.from({ length: PERIOD - 1 }, (_, n) =>
      n % 2 === 0
        ? withdrawalBroadcastBody({}, { seed: seed + n })
        : depositReceivedBody({}, { seed: seed + n }),
    );
    appendFileSync(file, `${lines.join('\n')}\n{}\n`);
  }

  const oneCore = ['-c', '0', process.execPath];
  const alone = ['--input-type=module', '--eval', PARSER_ALONE, file];
  const parserSeconds = Number(
    execFileSync('taskset', [...oneCore, ...alone], { encoding: 'utf8' }),
  );

  const times = `${file}.times`;
  const timed = ['-q', '-o', times, '-f', '%U %S %M', 'taskset', ...oneCore];
  const args = [...timed, '--max-old-space-size=512', COMMAND, 'check', '--json', file];
  const { stdout, stderr } = spawnSync('/usr/bin/time', args, { encoding: 'utf8' });
  assert.equal(JSON.parse(stdout).counts.refused, Math.ceil(count / PERIOD), stderr);
  const [user = 0, system = 0, kibibytes = 0] = readFileSync(times, 'utf8').split(' ').map(Number);

  /** CPU time, not the clock's, of which other processes take their share. @param {number} seconds */
  const cells = (seconds) => {
    return `${seconds.toFixed(1)} s | ${Math.round(count / seconds).toLocaleString('en')}`;
  };
  const size = `${count.toLocaleString('en')} bodies, ${(statSync(file).size / 1e9).toFixed(2)} GB`;
  const date = new Date().toISOString().slice(0, 10);
  console.log(`${size}, ${cpus()[0]?.model.trim()}, Node.js ${process.version}, ${date}\n`);
  console.log('| | CPU time | bodies a second of it | peak memory |');
  console.log('| --- | --- | --- | --- |');
  console.log(
    `| \`check\` | ${cells(user + system)} | ${Math.round((kibibytes * 1024) / 1e6)} MB |`,
  );
  console.log(`| the parser alone, bodies in memory | ${cells(parserSeconds)} | |`);
} finally {
  rmSync(folder, { recursive: true });
}
