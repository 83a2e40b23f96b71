import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { run as runBefore } from '../../src/cli/run.js';
import { command, temporaryFolder } from '../cli/terminal.js';

// See parser-loaded-anew.test.ts. Options, help texts and tables of the command are made at import.

const HELP = ['help', 'inspect -h', 'sample -h', 'send -h', 'listen -h'];
const SAMPLES = [
  'deposit --set expirationTime=17.25 --set network=x',
  'deposit --seed 7 --set expirationTime=2026-09-21T14:34:20Z --omit network --add fee=0.10',
  'withdrawal --status FAILED --set txAddressOwner.name=x --set txAddressOwner.category=y',
  'withdrawal --set txAddressOwner.names=x',
  'withdrawal --set x.txAddressOwner.name=x',
];
const FAULTY = [
  'inspect --x',
  'listen --port x',
  'send deposit --to http://127.0.0.1:1/ --copies x',
];

const { folder, write } = temporaryFolder();
const store = join(folder, 'store');
for (const end of ['json', 'txt']) write(`store/review/x.0123456789abcdef.${end}`, '{}');

test('the command that a test has loaded does what the other does', async () => {
  vi.resetModules();
  const { run } = await import('../../src/cli/run.js');
  expect(run).not.toBe(runBefore);
  const expectEqual = async (line: string, stdin = '') => {
    const given = { stdin, columns: 40, colors: true };
    expect(await command(line, { ...given, run })).toStrictEqual(await command(line, given));
  };
  for (const line of [...HELP, ...FAULTY]) await expectEqual(line);
  for (const sample of SAMPLES) await expectEqual(`sample ${sample}`);
  for (const { body } of fixtures) await expectEqual('inspect', `${body}`);
  for (const line of ['inspect -', `inspect ${store}`]) await expectEqual(line, '{}\n{"x":1}');
});
