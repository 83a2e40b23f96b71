import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readCount, readDuration } from '../../src/cli/options.js';
import { redactUrlsIn } from '../../src/shared/redact.js';
import { command } from './terminal.js';

describe('help', () => {
  test.each([
    ['', 'payment-notifications <command>'],
    ['--help', 'payment-notifications <command>'],
    ['help send', 'payment-notifications <command>'],
    ['nonsense --help', 'payment-notifications <command>'],
    ['inspect --help', 'payment-notifications inspect [FILE|FOLDER…]'],
    ['sample --help', 'payment-notifications sample deposit|withdrawal'],
    ['send deposit -h', 'payment-notifications send deposit|withdrawal|FILE… --to URL'],
    ['listen --help', 'payment-notifications listen'],
  ])('of %j has examples, and fits 80 columns', async (line, first) => {
    const { exit, out, err } = await command(line.split(' ').filter(Boolean));
    expect({ exit, err }).toStrictEqual({ exit: 0, err: '' });
    const lines = out.split('\n');
    expect(lines[0]).toBe(first);
    expect(lines.filter((text) => text.length > 80)).toStrictEqual([]);
    expect(lines).toContain('Examples:');
    // They stand once.
    expect(out.includes('Exit code: ')).toBe(first === 'payment-notifications <command>');
  });

  test.each(['--version', '-v', 'send -v'])('%j prints the version', async (line) => {
    expect(await command(line.split(' '))).toStrictEqual({ exit: 0, out: '1.2.3\n', err: '' });
  });
});

/** Expects that a command line is refused with nothing but a message. */
async function expectTold(args: readonly string[], message: string) {
  const err = `payment-notifications: ${message}\n`;
  expect(await command(args)).toStrictEqual({ exit: 2, out: '', err });
}

test('a command says that it is waiting for keyboard input', async () => {
  const typed = Object.assign(Readable.from([]), { isTTY: true });
  const { err } = await command(['inspect'], { input: typed });
  expect(err).toBe('reading standard input; press Ctrl-D to finish\n');
  expect((await command(['inspect'])).err).toBe('');
});

describe('wrong usage is told in one line', () => {
  const TO = ['--to', 'http://127.0.0.1:1/'];
  const DURATION = 'expected a duration such as 500ms, 10s, 2m or 24h, received';
  const WHOLE = 'expected a whole number of at least';
  const RANGE = 'expected a whole number from';
  const PORT = 'expected a whole number from 0 to 65535, received';
  const STATUS = 'expected a whole number from 200 to 599, received';
  const UNKNOWN = 'option: expected one that --help lists, received';
  const COMMAND = 'command: expected inspect, sample, send or listen, received';
  const AMOUNT = 'expected a decimal number, given as a string such as "0.5", received';
  const NO_URL = '--to: expected an http or https URL, received';
  const NO_BODY = 'send: expected deposit, withdrawal or file names';
  const NO_FILES = 'expected a sample, received files';
  const NO_FIELD = 'a deposit has no field';
  const STATUS_OF_DEPOSIT =
    '--status: expected a withdrawal, received a deposit, which has only one status';
  const SHORTENED =
    '--to: expected a whole URL, received one that was shortened to hide its secret';
  const HEADER = "--header: expected 'NAME: VALUE', in quotes";
  const TIME =
    'paymentReceivedAt: expected a UNIX time, as a number or a string, or a date-time such as "2026-09-21T14:34:20Z", received';

  test.each([
    ['parse', `${COMMAND} "parse"`],
    ['inspect --color', `${UNKNOWN} "--color"`],
    ['inspect --toString=1', `${UNKNOWN} "--toString"`],
    ['--color', `${UNKNOWN} "--color"`],
    ['inspect --\u202e', `${UNKNOWN} "--\\u202e"`],
    ['\u202e', `${COMMAND} "\\u202e"`],
    ['send deposit --to', '--to: expected a value, received nothing'],
    ['send deposit --to --faulty', '--to: expected a value, received "--faulty"'],
    ['inspect --json=1', '--json: expected no value, received "1"'],
    ['inspect --as payment', '--as: expected deposit or withdrawal, received "payment"'],
    ['sample', 'sample: expected deposit or withdrawal'],
    ['sample deposit withdrawal', 'sample: expected deposit or withdrawal'],
    ['sample deposit --status CONFIRMED', STATUS_OF_DEPOSIT],
    ['send --to http://x/', NO_BODY],
    ['send http://me:secret@x/ --to http://x/', NO_BODY],
    ['send deposit', '--to: expected the URL of your endpoint'],
    ['send deposit --to http://127.0.0.1:1/callbacks/0123…', SHORTENED],
    ['send deposit --to http://127.0.0.1:1/callbacks/0123%E2%80%A6', SHORTENED],
    ['listen callbacks', 'listen: expected options, received a name'],
    ['listen --port x', `--port: ${PORT} "x"`],
    ['listen --port 65536', `--port: ${PORT} "65536"`],
    ['listen --status 199', `--status: ${STATUS} "199"`],
    ['listen --status 600', `--status: ${STATUS} "600"`],
    ['send deposit --to ftp://x/', `${NO_URL} "ftp://…"`],
    ['send deposit --to localhost:3000/callbacks', `${NO_URL} "localhost:3000/call…"`],
    [
      'send deposit --to ftp://me:secret@x/',
      `${NO_URL} a hidden value that may contain a password`,
    ],
  ])('%j', (line, message) => expectTold(line.split(' '), message));

  test.each<[line: string | string[], message: string]>([
    ['deposit body.json', NO_BODY],
    ['deposit -Hauthorization:Bearer/s3cret', `${UNKNOWN} "-H"`],
    ['deposit --variants', `${UNKNOWN} "--variants"`],
    ['body.json --seed 1', `--seed: ${NO_FILES}`],
    ['archive.ndjson --faulty', `--faulty: ${NO_FILES}`],
    ['archive.ndjson --add x=1', `--add: ${NO_FILES}`],
    ['deposit --status CONFIRMED', STATUS_OF_DEPOSIT],
    ['deposit --header authorization: Bearer s3cret', HEADER],
    [['deposit', '--header', 's3cret'], HEADER],
    [['deposit', '--header', 'a b: s3cret'], HEADER],
    [['deposit', '--header', 'x: s3cret\nx'], HEADER],
    [['deposit', '--header', 'x: s3cret\u20ac'], HEADER],
    ['deposit --set AMOUNT=1', `--set: ${NO_FIELD} "AMOUNT"`],
    ['deposit --omit foo', `--omit: ${NO_FIELD} "foo"`],
    ['deposit --set txAddressOwner.name=x', `--set: ${NO_FIELD} "txAddressOwner.name"`],
    ['deposit --set =1', '--set: expected FIELD=VALUE, received "=1"'],
    ['deposit --add fee', '--add: expected NAME=JSON, received "fee"'],
    [
      'deposit --add fee=0,1',
      'fee: expected JSON text such as 0.10 or "text", received 0,1. Put a string in quotation marks',
    ],
    ['deposit --add network=1', '--add: a deposit has a field "network". Use --set network=VALUE'],
    ['deposit --set network', '--set: expected FIELD=VALUE, received "network"'],
    ['deposit --set onChainFee=1,5', `onChainFee: ${AMOUNT} "1,5"`],
    ['deposit --set paymentReceivedAt=12h', `${TIME} "12h"`],
    ['deposit --seed x', `--seed: ${WHOLE} 0, received "x"`],
    ['deposit --copies 0', `--copies: ${WHOLE} 1, received "0"`],
    ['deposit --concurrency 1001', `--concurrency: ${RANGE} 1 to 1000, received "1001"`],
    ['deposit --timeout=', `--timeout: ${DURATION} an empty string`],
    ['deposit --timeout 0s', `--timeout: ${DURATION} "0s"`],
  ])('send %j --to URL', (line, message) => {
    const args = typeof line === 'string' ? line.split(' ') : line;
    return expectTold(['send', ...args, ...TO], message);
  });
});

describe('a URL that is given', () => {
  const URL = 'http://me:s3cret@127.0.0.1:1/callbacks/s3cret-s3cret-s3cret?token=s3cret';

  test.each([
    ...[URL, `inspect ${URL}`, `inspect ${URL} ${URL}`, `inspect --json ${URL}`],
    ...[`inspect --as ${URL}`, `sample ${URL}`],
    ...[`sample deposit --set ${URL}=1`, `sample deposit --set onChainFee=${URL}`],
    ...[
      `sample deposit --set ${URL}`,
      `sample deposit --omit ${URL}`,
      `sample deposit --add ${URL.split('?')[0]}`,
    ],
    ...[`send ${URL}`, `send deposit ${URL}`, `send deposit --too=${URL}`],
    `send deposit --to ${URL}`,
    ...[`send ${URL} --to ${URL}`, `send deposit --to ${URL} --timeout ${URL}`],
    ...[`send deposit --to ${URL.slice(7)}`, `send deposit --to ${URL.replace('http', 'ftp')}`],
    ...['send deposit --to 127.0.0.1:1/s3cret-s3cret-s3cret', 'send deposit --to s3cret-s3cret'],
    ...[
      'send deposit --to http:/s3cret-s3cret-s3cret@x',
      `send deposit --to ${URL} --header ${URL}`,
    ],
    ...[`listen ${URL}`, `listen --save ${URL}`, `listen --secret ${URL}`, `listen --port ${URL}`],
    `listen --host ${URL}`,
  ])('is not printed with a password or a secret: %s', async (line) => {
    const { out, err } = await command(line.split(' '));
    expect(out + err).not.toBe('');
    expect(out + err).not.toMatch(/s3cret/);
  });

  test('is found in a message, to its end', () => {
    expect(redactUrlsIn(`open 'ftp://a b"c:d@x/y', http://x/?y z`)).toBe(
      "open 'ftp://…', http://… z",
    );
    expect(redactUrlsIn('at the end: wss://x/y')).toBe('at the end: wss://…');
    expect(redactUrlsIn('me@example.com: no URL')).toBe('me@example.com: no URL');
  });

  test.each(['://', 'x://y ', "'://"])('may be repeated 25,000 times: %j', async (part) => {
    const { exit, err } = await command(['inspect', part.repeat(25_000)]);
    expect(exit).toBe(2);
    expect(err).toMatch(/^payment-notifications: \S.{1,1100}\n$/);
    expect(err).not.toContain('//y');
  });
});

test('what stands behind -- is no option', async () => {
  for (const flag of ['-v', '--help', '-h', '--version']) {
    await expectTold(
      ['inspect', '--', flag],
      `${flag}: expected a readable file, received ENOENT (no such file or directory)`,
    );
  }
});

test('a fault of the program itself is not taken for wrong usage', async () => {
  const print = () => {
    throw new Error('disk full');
  };
  await expect(command(['inspect'], { print })).rejects.toThrow('disk full');
});

test('a duration has a unit', () => {
  const read = (text: string) => readDuration('--timeout', text);
  const given = ['500ms', '10s', '1.5s', '2m', '24h'];
  expect(given.map(read)).toStrictEqual([500, 10_000, 1500, 120_000, 86_400_000]);
  for (const text of '10,10 s,s,.5s,1.s,1.5.5s,-1s,in 10s,10s!,1d,0ms'.split(',')) {
    expect(() => read(text), text).toThrow(`or 24h, received "${text}"`);
  }
});

test.each(['9007199254740993', '5x', 'x5', '1.5', ' 5'])('a count may not be %j', (text) => {
  expect(() => readCount('--copies', text, 1)).toThrow(`of at least 1, received "${text}"`);
});
