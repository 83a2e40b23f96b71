import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readCount, readDuration } from '../../src/cli/options.js';
import { formatDuration } from '../../src/cli/terminal.js';
import { redactUrlsIn } from '../../src/shared/redact.js';
import { command } from './terminal.js';

test.each([
  ['', '<command>'],
  ['--help', '<command>'],
  ['help send', '<command>'],
  ['nonsense --help', '<command>'],
  ['inspect --help', 'inspect [FILE|FOLDER…]'],
  ['sample --help', 'sample deposit|withdrawal'],
  ['send deposit -h', 'send deposit|withdrawal|FILE… --to URL'],
  ['listen --help', 'listen'],
])('the help of %j has examples, and fits 80 columns', async (line, usage) => {
  const { exit, out, err } = await command(line);
  expect({ exit, err }).toStrictEqual({ exit: 0, err: '' });
  const lines = out.split('\n');
  expect(lines[0]).toBe(`payment-notifications ${usage}`);
  expect(lines.filter((text) => text.length > 80)).toStrictEqual([]);
  expect(lines).toContain('Examples:');
  // They stand once.
  expect(out.includes('Exit code: ')).toBe(usage === '<command>');
});

test.each(['--version', '-v', 'send -v'])('%j prints the version', async (line) => {
  expect(await command(line)).toStrictEqual({ exit: 0, out: '1.2.3\n', err: '' });
});

test('a command says that it is waiting for keyboard input', async () => {
  const typed = Object.assign(Readable.from([]), { isTTY: true });
  const { err } = await command('inspect', { input: typed });
  expect(err).toBe('reading standard input; press Ctrl-D to finish\n');
  expect((await command('inspect')).err).toBe('');
});

/** Expects that a command line is refused with nothing but a message. */
async function expectRefused(line: string | string[], message: string) {
  const err = `payment-notifications: ${message}\n`;
  expect(await command(line)).toStrictEqual({ exit: 2, out: '', err });
}

describe('wrong usage is reported in one line', () => {
  const TO = '--to http://127.0.0.1:1/';
  const UNKNOWN = 'option: expected one that --help lists, received';
  const COMMAND = 'command: expected inspect, sample, send or listen, received';
  const NO_BODY = 'send: expected deposit, withdrawal or file names';
  const NO_SAMPLE = 'sample: expected deposit or withdrawal';
  const NO_FIELD = 'a deposit has no field';
  const FILES = 'expected a sample, received files';
  const DURATION = 'expected a duration such as 500ms, 10s, 2m or 24h, received';
  const AMOUNT = 'expected a decimal number, given as a string such as "0.5", received';
  const JSON_TEXT = 'expected JSON text such as 0.10 or "text", received';
  const ONE_STATUS =
    '--status: expected a withdrawal, received a deposit, which has only one status';
  const TIME =
    'expected a UNIX time, as a number or a string, or a date-time such as "2026-09-21T14:34:20Z", received';
  const URL = '--to: expected an http or https URL, received';
  const SHORTENED =
    '--to: expected a whole URL, received one that was shortened to hide its secret';
  const PORTS = '--port: expected a whole number from 0 to 65535, received';
  const STATUSES = '--status: expected a whole number from 200 to 599, received';

  test.each([
    ['parse', `${COMMAND} "parse"`],
    ['\u202e', `${COMMAND} "\\u202e"`],
    ['--color', `${UNKNOWN} "--color"`],
    ['inspect --color', `${UNKNOWN} "--color"`],
    ['inspect --toString=1', `${UNKNOWN} "--toString"`],
    ['inspect --\u202e', `${UNKNOWN} "--\\u202e"`],
    ['inspect --json=1', '--json: expected no value, received "1"'],
    ['inspect --as payment', '--as: expected deposit or withdrawal, received "payment"'],
    ['sample', NO_SAMPLE],
    ['sample deposit withdrawal', NO_SAMPLE],
    ['sample deposit --status CONFIRMED', ONE_STATUS],
    ['listen callbacks', 'listen: expected options, received a name'],
    ['listen --port x', `${PORTS} "x"`],
    ['listen --port 65536', `${PORTS} "65536"`],
    ['listen --status 199', `${STATUSES} "199"`],
    ['listen --status 600', `${STATUSES} "600"`],
    ['send deposit', '--to: expected the URL of your endpoint'],
    ['send deposit --to', '--to: expected a value, received nothing'],
    ['send deposit --to --faulty', '--to: expected a value, received "--faulty"'],
    ['send deposit --to http://127.0.0.1:1/callbacks/0123…', SHORTENED],
    ['send deposit --to http://127.0.0.1:1/callbacks/0123%E2%80%A6', SHORTENED],
    ['send deposit --to ftp://x/', `${URL} "ftp://…"`],
    ['send deposit --to xhttp://x/', `${URL} "xhttp://…"`],
    ['send deposit --to localhost:3000/callbacks', `${URL} "localhost:3000/call…"`],
    ['send deposit --to localhost:3000/callbacks/', `${URL} "localhost:3000/call…/"`],
    ['send deposit --to ftp://me:secret@x/', `${URL} a hidden value that may contain a password`],
    [`send ${TO}`, NO_BODY],
    [`send http://me:secret@x/ ${TO}`, NO_BODY],
    [`send deposit body.json ${TO}`, NO_BODY],
    [`send body.json --seed 1 ${TO}`, `--seed: ${FILES}`],
    [`send archive.ndjson --faulty ${TO}`, `--faulty: ${FILES}`],
    [`send archive.ndjson --add x=1 ${TO}`, `--add: ${FILES}`],
    [`send deposit -Hauthorization:Bearer/s3cret ${TO}`, `${UNKNOWN} "-H"`],
    [`send deposit --variants ${TO}`, `${UNKNOWN} "--variants"`],
    [`send deposit --status CONFIRMED ${TO}`, ONE_STATUS],
    [`send deposit --set AMOUNT=1 ${TO}`, `--set: ${NO_FIELD} "AMOUNT"`],
    [`send deposit --set txAddressOwner.name=x ${TO}`, `--set: ${NO_FIELD} "txAddressOwner.name"`],
    [`send deposit --set toString=1 ${TO}`, `--set: ${NO_FIELD} "toString"`],
    [`send deposit --set =1 ${TO}`, '--set: expected FIELD=VALUE, received "=1"'],
    [`send deposit --set network ${TO}`, '--set: expected FIELD=VALUE, received "network"'],
    [`send deposit --set onChainFee=1,5 ${TO}`, `onChainFee: ${AMOUNT} "1,5"`],
    [`send deposit --set expirationTime=12h ${TO}`, `expirationTime: ${TIME} "12h"`],
    [`send deposit --omit foo ${TO}`, `--omit: ${NO_FIELD} "foo"`],
    [`send deposit --add fee ${TO}`, '--add: expected NAME=JSON, received "fee"'],
    [`send deposit --add fee=0,1 ${TO}`, `fee: ${JSON_TEXT} 0,1. Put a string in quotation marks`],
    [
      `send deposit --add network=1 ${TO}`,
      '--add: a deposit has a field "network". Use --set network=VALUE',
    ],
    [
      `send deposit --seed x ${TO}`,
      '--seed: expected a whole number from 0 to 281474976710655, received "x"',
    ],
    [
      `send deposit --copies 1001 ${TO}`,
      '--copies: expected a whole number from 1 to 1000, received "1001"',
    ],
    [
      `send deposit --concurrency 1001 ${TO}`,
      '--concurrency: expected a whole number from 1 to 1000, received "1001"',
    ],
    [`send deposit --timeout= ${TO}`, `--timeout: ${DURATION} an empty string`],
    [`send deposit --timeout 0s ${TO}`, `--timeout: ${DURATION} "0s"`],
  ])('%j', expectRefused);

  test.each(['authorization', 's3cret', 'a b: s3cret', 'x: s3cret\nx', 'x: s3cret\u20ac'])(
    '--header %j',
    (header) => {
      const args = ['send', 'deposit', ...TO.split(' '), '--header', header];
      return expectRefused(args, "--header: expected 'NAME: VALUE', in quotes");
    },
  );

  test.each(['-v', '--help', '-h', '--version'])('%s behind -- is no option', (flag) => {
    const reason = 'expected a readable file, received ENOENT (no such file or directory)';
    return expectRefused(`inspect -- ${flag}`, `${flag}: ${reason}`);
  });
});

describe('a URL that is given', () => {
  const URL = 'http://me:s3cret@127.0.0.1:1/callbacks/s3cret-s3cret-s3cret?token=s3cret';
  const lines = `URL; inspect URL; inspect URL URL; inspect --json URL; inspect --as URL;
    sample URL; sample deposit --set URL=1; sample deposit --set onChainFee=URL;
    sample deposit --set URL; sample deposit --omit URL;
    sample deposit --add http://me:s3cret@127.0.0.1:1/callbacks/s3cret-s3cret-s3cret;
    send URL; send deposit URL; send deposit --too=URL; send deposit --to URL;
    send URL --to URL; send deposit --to URL --timeout URL; send deposit --to URL --header URL;
    send deposit --to me:s3cret@x; send deposit --to ftp://me:s3cret@x;
    send deposit --to 127.0.0.1:1/s3cret-s3cret-s3cret; send deposit --to s3cret-s3cret;
    send deposit --to http:/s3cret-s3cret-s3cret@x;
    listen URL; listen --save URL; listen --secret URL; listen --port URL; listen --host URL`;

  test.each(lines.split(';'))('is not printed with a password or a secret: %s', async (line) => {
    const { out, err } = await command(line.trim().replaceAll('URL', URL));
    expect(out + err).not.toBe('');
    expect(out + err).not.toMatch(/s3cret/);
  });

  test.each([
    [`open 'ftp://a b"c:d@x/y', http://x/?y z`, "open 'ftp://…', http://… z"],
    ['at the end: wss://x/y', 'at the end: wss://…'],
    ['me@example.com: no URL', 'me@example.com: no URL'],
  ])('is found in a message, to its end: %s', (message, shown) => {
    expect(redactUrlsIn(message)).toBe(shown);
  });

  test.each(['://', 'x://y ', "'://"])('may be repeated 25,000 times: %j', async (part) => {
    const { exit, err } = await command(['inspect', part.repeat(25_000)]);
    expect(exit).toBe(2);
    expect(err).toMatch(/^payment-notifications: \S.{1,1100}\n$/);
    expect(err).not.toContain('//y');
  });
});

test('a fault of the program itself is not taken for wrong usage', async () => {
  const print = () => {
    throw new Error('disk full');
  };
  await expect(command('inspect', { print })).rejects.toThrow('disk full');
});

test('a duration has a unit, and a count is a whole number', () => {
  const given = ['500ms', '10s', '1.25s', '2m', '24h'];
  const read = given.map((text) => readDuration('--timeout', text));
  expect(read).toStrictEqual([500, 10_000, 1250, 120_000, 86_400_000]);
  const shown = [0.4, 500.4, 1000, 1250, 120_000, 86_400_000].map(formatDuration);
  expect(shown).toStrictEqual(['0ms', '500ms', '1s', '1.3s', '2m', '24h']);
  for (const text of '10,10 s,s,.5s,1.s,1.5.5s,-1s,in 10s,10s!,1d,0ms'.split(',')) {
    expect(() => readDuration('--timeout', text)).toThrow(`or 24h, received "${text}"`);
  }
  expect(['1', '9'].map((text) => readCount('--copies', text, 1, 9))).toStrictEqual([1, 9]);
  for (const text of ['9007199254740993', '5x', 'x5', '1.5', ' 5']) {
    expect(() => readCount('--copies', text, 1, 9)).toThrow(`from 1 to 9, received "${text}"`);
  }
});
