import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { depositReceivedBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { against, answers } from '../endpoint.js';
import { command, linesOf, listening, temporaryFolder } from './terminal.js';

const { folder, write } = temporaryFolder();
const one = write('one.json', depositReceivedBody());
const two = write('two.json', '{}');
const URL = 'http://127.0.0.1:1/';
const SECRET = 'a-secret-of-the-test';

const printed = async (line: string) => (await command(line)).out;

/** The bodies and headers that `send` posts. */
async function sent(line: string) {
  const args = line.split(' ').map((word) => word.replace('_', ' '));
  const { received } = await against(answers(400), (to) => command(['send', ...args, '--to', to]));
  return received.map(({ body, headers }) => ({ body: `${body}`, headers }));
}

const bodies = async (line: string) => (await sent(line)).map(({ body }) => body);

/** What `listen` answers to a deposit. */
async function listened(options: string) {
  let status = 0;
  const post = async (url: string) => {
    const to = options.includes(SECRET) ? url.replace(/[^/]*$/, SECRET) : url;
    status = (await fetch(to, { method: 'POST', body: depositReceivedBody() })).status;
  };
  const { first, told } = await listening(options, post);
  return { status, first, end: told.at(-1) };
}

const NO_ARGUMENT = /^Option '--\w+' does not take an argument$/;
const NO_VALUE = /^Option '--\w+ <value>' argument missing$/;
const WHOLE = (option: string, from: number, to: number, text: string) =>
  new RegExp(`^--${option}: expected a whole number from ${from} to ${to}, received "${text}"$`);
const SEEDS = WHOLE('seed', 0, 2 ** 48 - 1, '-1');

/** Each option: what it does, and what a wrong value says. */
const OPTIONS: readonly (readonly [
  option: string,
  result: () => Promise<unknown>,
  expected: unknown,
  wrong: string,
  message: RegExp,
])[] = [
  [
    'inspect --json',
    async () => JSON.parse(await printed(`inspect --json ${one}`)),
    expect.objectContaining({ place: one, outcome: 'good' }),
    'inspect --json=1',
    NO_ARGUMENT,
  ],
  [
    'inspect --quiet',
    async () => linesOf(await printed(`inspect --quiet ${one} ${two}`))[0],
    expect.stringContaining(`✗ ${two}`),
    'inspect --quiet=1',
    NO_ARGUMENT,
  ],
  [
    'inspect --as',
    () => Promise.all(['deposit', 'withdrawal'].map((as) => printed(`inspect --as ${as} ${one}`))),
    [
      expect.stringContaining('good, deposit.received\n'),
      expect.stringContaining('refused, withdrawal.broadcast\n'),
    ],
    'inspect --as payment',
    /^--as: expected deposit or withdrawal, received "payment"$/,
  ],
  [
    'sample --set',
    () => printed('sample deposit --set network=X'),
    `${depositReceivedBody({ network: 'X' })}\n`,
    'sample deposit --set network',
    /^--set: expected NAME=VALUE, such as network=BITCOIN$/,
  ],
  [
    'sample --seed',
    () => printed('sample deposit --seed 7'),
    `${depositReceivedBody({}, { seed: 7 })}\n`,
    'sample deposit --seed=-1',
    SEEDS,
  ],
  [
    'sample --status',
    () => printed('sample withdrawal --status BLOCKED'),
    expect.stringContaining('"status":"BLOCKED"'),
    'sample deposit --status CONFIRMED',
    /^--status: expected a withdrawal, received a deposit$/,
  ],
  [
    'send --to',
    () => bodies('deposit'),
    [depositReceivedBody()],
    'send deposit --to ftp://x/',
    /^--to: expected an http or https URL, received "ftp:\/\/…"?$/,
  ],
  [
    'send --copies',
    () => bodies('deposit --copies 3'),
    Array(3).fill(depositReceivedBody()),
    `send deposit --to ${URL} --copies 1001`,
    WHOLE('copies', 1, 1000, '1001'),
  ],
  [
    'send --faulty',
    async () => (await bodies('deposit --faulty')).length,
    17,
    `send deposit --to ${URL} --faulty=1`,
    NO_ARGUMENT,
  ],
  [
    'send --header',
    async () => (await sent('deposit --header x-signature:_5f')).map(({ headers }) => headers),
    [expect.objectContaining({ 'x-signature': '5f' })],
    `send deposit --to ${URL} --header x`,
    /^--header: expected 'NAME: VALUE', in quotes$/,
  ],
  [
    'send --set',
    () => bodies('deposit --set network=null'),
    [depositReceivedBody({ network: null })],
    `send deposit --to ${URL} --set AMOUNT=1`,
    /^--set: expected a field of a deposit, received "AMOUNT"$/,
  ],
  [
    'send --seed',
    () => bodies('deposit --seed 7'),
    [depositReceivedBody({}, { seed: 7 })],
    `send deposit --to ${URL} --seed=-1`,
    SEEDS,
  ],
  [
    'send --status',
    () => bodies('withdrawal --status FAILED'),
    [expect.stringContaining('"status":"FAILED"')],
    `send deposit --to ${URL} --status FAILED`,
    /^--status: expected a withdrawal, received a deposit$/,
  ],
  [
    'listen --port',
    async () => (await listened('')).first,
    expect.not.stringContaining(':0/'),
    'listen --port 65536',
    WHOLE('port', 0, 65_535, '65536'),
  ],
  [
    'listen --host',
    async () => (await listened('--host ::1')).first,
    expect.stringMatching(/^listening at http:\/\/\[::1\]:\d+\/\w{32}$/),
    'listen --host 192.0.2.1',
    /^--host: can't listen there: EADDRNOTAVAIL \(/,
  ],
  [
    'listen --save',
    async () => {
      await listened(`--save ${folder}/saved`);
      const [name = ''] = readdirSync(`${folder}/saved`);
      return readFileSync(join(folder, 'saved', name), 'utf8');
    },
    depositReceivedBody(),
    'listen --save',
    NO_VALUE,
  ],
  [
    'listen --secret',
    () => listened(`--secret ${SECRET}`),
    expect.objectContaining({ status: 200, first: expect.stringMatching(/\/a-se…$/) }),
    'listen --secret short',
    /^--secret: expected at least 16 letters, digits or any of -._~, received a string of length 5/,
  ],
  [
    'listen --status',
    async () => (await listened('--status 503')).status,
    503,
    'listen --status 199',
    WHOLE('status', 200, 599, '199'),
  ],
];

test.each(OPTIONS)('%s', async (_, result, expected, wrong, message) => {
  expect(await result()).toStrictEqual(expected);
  const { exit, out, err } = await command(wrong);
  expect({ exit, out }).toStrictEqual({ exit: 2, out: '' });
  const [first = '', next] = err.split('\n');
  expect(first.replace('payment-notifications: ', '')).toMatch(message);
  expect(next).toBe(`Run payment-notifications ${wrong.split(' ')[0]} --help`);
});

test.each([
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
  [
    'sample deposit --set expirationTime=12h',
    `--set expirationTime: expected a UNIX time, as a number or a string, or a date-time \
such as "2026-09-21T14:34:20Z", received "12h"`,
  ],
  ...['x', '5x', 'x5', '1.5'].map((text): [string, string] => [
    `listen --port ${text}`,
    `--port: expected a whole number from 0 to 65535, received "${text}"`,
  ]),
  ['listen --status 600', '--status: expected a whole number from 200 to 599, received "600"'],
  ['send deposit', '--to: expected an http or https URL, received nothing'],
  [
    'send deposit --to http://me:s3cret@127.0.0.1/',
    '--to: expected a URL without user name and password',
  ],
  ['send deposit --to --faulty', "Option '--to' argument is ambiguous"],
])('%s says what is wrong with the value', async (line, message) => {
  const { exit, err } = await command(line);
  expect({ exit, first: err.split('\n')[0] }).toStrictEqual({
    ...{ exit: 2, first: `payment-notifications: ${message}` },
  });
});

test('each option of the helps is in the table above and on the page', async () => {
  const page = readFileSync('docs/cli.md', 'utf8');
  const names = await Promise.all(
    ['inspect', 'sample', 'send', 'listen'].map(async (name) => {
      const help = await printed(`${name} --help`);
      return [...help.matchAll(/^ {2}(--\w+)/gm)].map(([, option]) => `${name} ${option}`);
    }),
  );
  expect(OPTIONS.map(([option]) => option).sort()).toStrictEqual(names.flat().sort());
  const own = [...page.matchAll(/(?<!git )(?<=[ `])--\w+/g)].map(([option]) => option);
  const known = new Set(names.flat().map((name) => name.split(' ')[1]));
  expect([...new Set(own)].filter((option) => !known.has(option))).toStrictEqual(['--help']);
  expect([...known].filter((option) => !own.includes(`${option}`))).toStrictEqual([]);
});
