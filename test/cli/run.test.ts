import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { redactUrlsIn } from '../../src/shared/redact.js';
import { command } from './terminal.js';

test.each([
  ['', '<command>'],
  ['--help', '<command>'],
  ['help send', '<command>'],
  ['inspect --help', 'inspect [FILE|FOLDER…]'],
  ['sample --help', 'sample deposit|withdrawal'],
  ['send deposit -h', 'send deposit|withdrawal|FILE… --to URL'],
  ['listen --help', 'listen'],
])('the help of %j has examples, and fits 80 columns', async (line, usage) => {
  const { exit, out, err } = await command(line);
  expect({ exit, err }).toStrictEqual({ exit: 0, err: '' });
  expect(out.split('\n')[0]).toBe(`payment-notifications ${usage}`);
  expect(out.split('\nExamples:\n\n')[1]).toMatch(/^ {2}payment-notifications /);
  expect(out.split('\n').filter((text) => text.length > 80)).toStrictEqual([]);
});

test.each(['--version', 'send -v'])('%j prints the version', async (line) => {
  expect(await command(line)).toStrictEqual({ exit: 0, out: '1.2.3\n', err: '' });
});

test('a command says that it is waiting for keyboard input', async () => {
  const typed = Object.assign(Readable.from([]), { isTTY: true });
  const { err } = await command('inspect', { input: typed });
  expect(err).toBe('reading standard input; press Ctrl-D to finish\n');
  expect((await command('inspect')).err).toBe('');
});

const TO = '--to http://127.0.0.1:1/';

test.each(['-v', '--help'])('%s behind -- is no option', async (flag) => {
  const reason = "can't be read: ENOENT (no such file or directory)";
  const err = `payment-notifications: ${flag}: ${reason}\n`;
  expect(await command(`inspect -- ${flag}`)).toStrictEqual({ exit: 2, out: '', err });
});

describe('a secret is not printed', () => {
  const URL = 'http://me:s3cret@127.0.0.1:1/callbacks/s3cret-s3cret-s3cret?token=s3cret';
  const lines = `URL; inspect URL; inspect URL URL; inspect --json URL; inspect --as URL;
    inspect --URL; sample URL; sample deposit --set URL=1; sample deposit --set URL;
    sample deposit --set onChainFee=URL; sample deposit --seed URL;
    send URL; send deposit URL; send deposit --too=URL; send deposit --to URL; send URL --to URL;
    send deposit ${TO} --copies URL; send deposit --to URL --header URL;
    send deposit --to me:s3cret@x; send deposit --to ftp://me:s3cret@x;
    send deposit --to 127.0.0.1:1/s3cret-s3cret-s3cret; send deposit --to s3cret-s3cret-s3cret;
    send deposit --to http:/s3cret-s3cret-s3cret@x;
    send deposit ${TO} X-Key:s3cret; send X-Key:s3cret ${TO}; send deposit ${TO} --X-Key:s3cret;
    send deposit ${TO} --set X-Key:s3cret; send deposit ${TO} --set X-Key:s3cret=;
    send deposit ${TO} -Hauthorization:Bearer/s3cret; X-Key:s3cret; sample X-Key:s3cret;
    listen URL; listen --save URL; listen --secret URL; listen --port URL; listen --host URL`;

  test.each(lines.split(';'))('of a misplaced URL or header: %s', async (line) => {
    const { exit, out, err } = await command(line.trim().replaceAll('URL', URL));
    expect(exit).toBe(2);
    expect(out + err).not.toMatch(/s3cret/);
  });

  test.each(['s3cret', 'a b: s3cret', 'x: s3cret\nx'])('of no header: %j', async (header) => {
    const { err } = await command(['send', 'deposit', ...TO.split(' '), '--header', header]);
    expect(err).toMatch(/^payment-notifications: --header: expected 'NAME: VALUE', in quotes\n/);
    expect(err).not.toContain('s3cret');
  });

  test.each([
    [`open 'ftp://a b"c:d@x/y', http://x/?y z`, "open 'ftp://…', http://… z"],
    ['at the end: wss://x/y', 'at the end: wss://…'],
    ['me@example.com: no URL', 'me@example.com: no URL'],
  ])('of a URL in a message, to its end: %s', (message, shown) => {
    expect(redactUrlsIn(message)).toBe(shown);
  });

  test('of a long message, and not all of it', async () => {
    const { err } = await command(['inspect', 'x://y '.repeat(25_000)]);
    expect(err).toMatch(/^payment-notifications: \S.{1000,1100}\n$/);
    expect(err).not.toContain('//y');
  });
});

test('a fault of the program itself is not taken for wrong usage', async () => {
  const print = () => {
    throw new Error('disk full');
  };
  await expect(command('inspect', { print })).rejects.toThrow('disk full');
});
