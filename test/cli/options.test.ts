import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from './terminal.js';

const WHOLE = (from: number, to: number, text: string) =>
  `expected a whole number from ${from} to ${to}, received "${text}"`;
const SEEDS = WHOLE(0, 2 ** 48 - 1, '-1');
const NO_DEPOSIT = 'expected a withdrawal, received a deposit';
const TO = '--to http://127.0.0.1:1/';

/** Each option with a wrong value, and what the first line says of it. */
const OPTIONS: readonly (readonly [option: string, wrong: string, message: string])[] = [
  ['inspect --json', 'inspect --json=1', "Option '--json' does not take an argument"],
  ['inspect --quiet', 'inspect --quiet=1', "Option '--quiet' does not take an argument"],
  [
    'inspect --as',
    'inspect --as payment',
    '--as: expected deposit or withdrawal, received "payment"',
  ],
  [
    'sample --set',
    'sample deposit --set network',
    '--set: expected NAME=VALUE, such as network=BITCOIN',
  ],
  ['sample --seed', 'sample deposit --seed=-1', `--seed: ${SEEDS}`],
  ['sample --status', 'sample deposit --status CONFIRMED', `--status: ${NO_DEPOSIT}`],
  [
    'send --to',
    'send deposit --to ftp://x/',
    '--to: expected an http or https URL, received "ftp://…',
  ],
  ['send --copies', `send deposit ${TO} --copies 1001`, `--copies: ${WHOLE(1, 1000, '1001')}`],
  ['send --faulty', `send deposit ${TO} --faulty=1`, "Option '--faulty' does not take an argument"],
  ['send --header', `send deposit ${TO} --header x`, "--header: expected 'NAME: VALUE', in quotes"],
  [
    'send --set',
    `send deposit ${TO} --set A=1`,
    '--set: expected a field of a deposit, received "A"',
  ],
  ['send --seed', `send deposit ${TO} --seed=-1`, `--seed: ${SEEDS}`],
  ['send --status', `send deposit ${TO} --status FAILED`, `--status: ${NO_DEPOSIT}`],
  ['listen --port', 'listen --port 65536', `--port: ${WHOLE(0, 65_535, '65536')}`],
  [
    'listen --host',
    'listen --host 192.0.2.1',
    "--host: can't listen on 192.0.2.1: EADDRNOTAVAIL (",
  ],
  ['listen --save', 'listen --save', "Option '--save <value>' argument missing"],
  [
    'listen --secret',
    'listen --secret short',
    '--secret: expected at least 16 letters, digits or -._~, received a string of length 5',
  ],
  ['listen --status', 'listen --status 199', `--status: ${WHOLE(200, 599, '199')}`],
];

const NO_BODY = 'send: expected deposit, withdrawal or file names';

/** Other wrong usage. */
const MORE: readonly (readonly [wrong: string, message: string])[] = [
  ['sample deposit --set =1', '--set: expected NAME=VALUE, such as network=BITCOIN'],
  [
    'sample withdrawal --status failed',
    '--status: expected one of COMPLETED, FAILED, BLOCKED, received "failed"',
  ],
  ['sample deposit --set toString=1', '--set: expected a field of a deposit, received "toString"'],
  [
    'sample deposit --set txAddressOwner.name=x',
    '--set: expected a field of a deposit, received "txAddressOwner.name"',
  ],
  [
    'sample deposit --set onChainFee=1,5',
    '--set onChainFee: expected a decimal number, given as a string such as "0.5", received "1,5"',
  ],
  ['sample deposit --set expirationTime=12h', '--set expirationTime: expected a UNIX time, '],
  ['listen --port 5x', `--port: ${WHOLE(0, 65_535, '5x')}`],
  ['listen --port 1.5', `--port: ${WHOLE(0, 65_535, '1.5')}`],
  ['listen --status 600', `--status: ${WHOLE(200, 599, '600')}`],
  ['send deposit', '--to: expected an http or https URL, received no value'],
  [
    'send deposit --to http://me:s3cret@127.0.0.1/',
    '--to: expected a URL without user name and password',
  ],
  ['send deposit --to --faulty', "Option '--to' argument is ambiguous"],
  ['parse', 'command: expected inspect, sample, send or listen'],
  ['--color', "Unknown option '--color'"],
  ['inspect --\u202e', "Unknown option '--\\u202e'"],
  ['sample', 'sample: expected deposit or withdrawal'],
  ['sample deposit withdrawal', 'sample: expected deposit or withdrawal'],
  ['listen received', 'listen: expected options alone'],
  [`send ${TO}`, NO_BODY],
  [`send deposit a.json ${TO}`, NO_BODY],
  [`send a.json ${TO} --seed 1`, '--seed: expected a sample, received files'],
  [`send a.json ${TO} --faulty`, '--faulty: expected a sample, received files'],
];

test.each([...OPTIONS.map(([, ...row]) => row), ...MORE])(
  '%s is refused in one line, and a second one says where help is',
  async (wrong, message) => {
    const { exit, out, err } = await command(wrong);
    expect({ exit, out }).toStrictEqual({ exit: 2, out: '' });
    const [name = ''] = wrong.split(' ');
    const topic = ['inspect', 'sample', 'send', 'listen'].includes(name) ? `${name} ` : '';
    const [first, ...rest] = err.split('\n');
    expect(first?.startsWith(`payment-notifications: ${message}`), err).toBe(true);
    expect(rest).toStrictEqual([`Run payment-notifications ${topic}--help`, '']);
  },
);

test('each option of the helps is in the table above and on the page', async () => {
  const page = readFileSync('docs/cli.md', 'utf8');
  const names = await Promise.all(
    ['inspect', 'sample', 'send', 'listen'].map(async (name) => {
      const { out: help } = await command(`${name} --help`);
      return [...help.matchAll(/^ {2}(--\w+)/gm)].map(([, option]) => `${name} ${option}`);
    }),
  );
  expect(OPTIONS.map(([option]) => option).sort()).toStrictEqual(names.flat().sort());
  const own = [...page.matchAll(/(?<!git )(?<=[ `])--\w+/g)].map(([option]) => option);
  const known = new Set(names.flat().map((name) => name.split(' ')[1]));
  expect([...new Set(own)].filter((option) => !known.has(option))).toStrictEqual(['--help']);
  expect([...known].filter((option) => !own.includes(`${option}`))).toStrictEqual([]);
});
