import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from './terminal.js';

const WHOLE = (from: number, to: number, text: string) =>
  `expected a whole number from ${from} to ${to}, received "${text}"`;
const TO = '--to http://127.0.0.1:1/';

const SAMPLE = 'sample deposit';
const SEND = `send deposit ${TO}`;
const NO_BODY = 'send: expected deposit, withdrawal or file names';

test.each<[wrong: string, message: string]>([
  ['inspect --json=1', "Option '--json' does not take an argument"],
  ['inspect --as payment', '--as: expected deposit or withdrawal, received "payment"'],
  ['inspect --\u202e', "Unknown option '--\\u202e'"],
  [`${SAMPLE} --set network`, '--set: expected NAME=VALUE, such as network=BITCOIN'],
  [`${SAMPLE} --set =1`, '--set: expected NAME=VALUE, such as network=BITCOIN'],
  [`${SAMPLE} --set toString=1`, '--set: expected a field of a deposit, received "toString"'],
  [`${SAMPLE} --set a.b=x`, '--set: expected a field of a deposit, received "a.b"'],
  [
    `${SAMPLE} --set onChainFee=1,5`,
    '--set onChainFee: expected a decimal number, given as a string such as "0.5", received "1,5"',
  ],
  [`${SAMPLE} --set expirationTime=12h`, '--set expirationTime: expected a UNIX time, '],
  [`${SAMPLE} --seed=-1`, `--seed: ${WHOLE(0, 2 ** 48 - 1, '-1')}`],
  [`${SAMPLE} --status CONFIRMED`, '--status: expected a withdrawal, received a deposit'],
  [
    'sample withdrawal --status failed',
    '--status: expected one of COMPLETED, FAILED, BLOCKED, received "failed"',
  ],
  ['sample', 'sample: expected deposit or withdrawal'],
  ['sample deposit withdrawal', 'sample: expected deposit or withdrawal'],
  ['send deposit', '--to: expected an http or https URL, received no value'],
  ['send deposit --to ftp://x/', '--to: expected an http or https URL, received "ftp://…'],
  [
    'send deposit --to http://me:s3cret@127.0.0.1/',
    '--to: expected a URL without user name and password',
  ],
  ['send deposit --to --faulty', "Option '--to' argument is ambiguous"],
  [`${SEND} --copies 1001`, `--copies: ${WHOLE(1, 1000, '1001')}`],
  [`send ${TO}`, NO_BODY],
  [`send deposit a.json ${TO}`, NO_BODY],
  [`send a.json ${TO} --seed 1`, '--seed: expected a sample, received files'],
  [`send a.json ${TO} --faulty`, '--faulty: expected a sample, received files'],
  ['listen --port 65536', `--port: ${WHOLE(0, 65_535, '65536')}`],
  ['listen --port 5x', `--port: ${WHOLE(0, 65_535, '5x')}`],
  ['listen --host 192.0.2.1', "--host: can't listen on 192.0.2.1: EADDRNOTAVAIL ("],
  [
    'listen --secret short',
    '--secret: expected at least 16 letters, digits or -._~, received a string of length 5',
  ],
  ['listen --status 199', `--status: ${WHOLE(200, 599, '199')}`],
  ['listen --status 600', `--status: ${WHOLE(200, 599, '600')}`],
  ['listen received', 'listen: expected options alone'],
  ['parse', 'command: expected inspect, sample, send or listen'],
  ['--color', "Unknown option '--color'"],
])('%s is refused in one line, and a second one says where help is', async (wrong, message) => {
  const { exit, out, err } = await command(wrong);
  expect({ exit, out }).toStrictEqual({ exit: 2, out: '' });
  const [name = ''] = wrong.split(' ');
  const topic = ['inspect', 'sample', 'send', 'listen'].includes(name) ? `${name} ` : '';
  const [first, ...rest] = err.split('\n');
  expect(first?.startsWith(`payment-notifications: ${message}`), err).toBe(true);
  expect(rest).toStrictEqual([`Run payment-notifications ${topic}--help`, '']);
});

test('the page has every option of the helps, and no other', async () => {
  const helps = ['inspect', 'sample', 'send', 'listen'].map((name) => command(`${name} --help`));
  const known = (await Promise.all(helps)).flatMap(({ out }) => out.match(/(?<=^ {2})--\w+/gm));
  const own = readFileSync('docs/cli.md', 'utf8').match(/(?<!git )(?<=[ `])--\w+/g);
  expect(new Set(own)).toStrictEqual(new Set(['--help', ...known]));
});
