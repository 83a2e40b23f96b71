import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import type { Kind } from '../../src/cli/check-report.js';
import { command, type Given, inPieces, linesOf, temporaryFolder, ticking } from './terminal.js';

const { folder, write: archive } = temporaryFolder();

/** What `check --json` says of standard input. */
async function checked(lines: readonly string[], args: readonly string[] = [], given: Given = {}) {
  const stdin = lines.map((line) => `${line}\n`).join('');
  const ran = await command(['check', '--json', ...args], { stdin, ...given });
  return { exit: ran.exit, err: ran.err, ...JSON.parse(ran.out) };
}

/** A deposit of its own in one line. */
const depositOf = (seed: number, fields: Parameters<typeof depositReceivedBody>[0] = {}) =>
  depositReceivedBody(fields, { seed });
const withdrawalOf = (seed: number, fields: Parameters<typeof withdrawalBroadcastBody>[0] = {}) =>
  withdrawalBroadcastBody(fields, { seed });

describe('an archive of two deposits, a blank line and a fault, in turn', () => {
  const text = `\ufeff${Array.from({ length: 300 }, (_, seed) =>
    [depositOf(seed), withdrawalOf(seed), '', depositOf(seed).slice(0, -9), ''].join('\r\n'),
  ).join('')}`;
  const middle = text.indexOf('\n', text.length / 2) + 1;
  const end = gzipSync(text.slice(middle));
  const whole = Buffer.concat([gzipSync(text.slice(0, middle)), end]);
  const cut = whole.subarray(0, -end.length / 2);

  test.each<[string, Buffer, size: number]>([
    ['plain', Buffer.from(text), 65_536],
    ['plain, in small pieces', Buffer.from(text), 100],
    ['gzip of two members', whole, 65_536],
    ['gzip of which a member is cut in the middle', cut, 65_536],
    ['the same, in small pieces', cut, 100],
  ])('as %s is counted to its last whole line', async (_, bytes, size) => {
    // A pipe may begin with a single byte.
    const pieces = [bytes.subarray(0, 1)];
    for (let start = 1; start < bytes.length; start += size) {
      pieces.push(bytes.subarray(start, start + size));
    }
    const { exit, err, out } = await command(['check', '--json'], { input: Readable.from(pieces) });
    expect({ exit, err }).toStrictEqual(
      bytes === cut
        ? { exit: 2, err: 'payment-notifications: standard input: unexpected end of file\n' }
        : { exit: 1, err: '' },
    );
    const flush = { finishFlush: constants.Z_SYNC_FLUSH };
    const plain = bytes[0] === 0x1f ? gunzipSync(bytes, flush) : bytes;
    const lines = plain.toString().split('\n').length - 1;
    expect(lines).toBeGreaterThan(bytes === cut ? 700 : 1199);
    const of = (place: number) => Math.ceil((lines - place) / 4);
    expect(JSON.parse(out)).toMatchObject({
      bytes: bytes.length,
      counts: { lines, blank: of(2), valid: of(0) + of(1), warnings: 0, refused: of(3) },
      kinds: [{ code: 'invalid_json', first: 'standard input:4' }],
    });
  });
});

describe('an archive', () => {
  test('is counted by what became of its lines, and as many bodies of a kind shown as asked for', async () => {
    const stdin = [
      depositOf(1),
      '',
      `${depositOf(2)}\r`,
      ' \t\r',
      depositOf(4, { actualDepositAmount: '-1' }),
      'hello',
      '[]',
      // Beyond all limits: read in several pieces.
      'x'.repeat(1_000_000),
      withdrawalOf(5, { txAddressOwner: { name: 'x', category: null } }),
      ...['{}', '{ }', '{  }'],
    ].join('\n');
    const { exit, err, out } = await command(['check', '--json', '--show', '2'], { stdin });
    const { kinds, ...rest } = JSON.parse(out);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(rest).toStrictEqual({
      ...{ files: ['standard input'], unread: [], bytes: Buffer.byteLength(stdin) },
      ...{ durationMs: 0, interrupted: false },
      counts: { lines: 12, blank: 2, valid: 2, warnings: 1, refused: 7 },
      hint: expect.stringContaining('Most lines are not bodies.'),
    });
    const found = ({ first, message, examples, ...kind }: Kind) => [
      ...[Object.values(kind).join(' '), first, examples.length],
    ];
    expect(kinds.map(found)).toStrictEqual([
      ['refused negative_amount actualDepositAmount 1', 'standard input:5', 1],
      ['refused invalid_json body 1', 'standard input:6', 1],
      ['refused not_an_object body 1', 'standard input:7', 1],
      ['refused body_too_large body 1', 'standard input:8', 1],
      ['warnings missing_field txAddressOwner.category 1', 'standard input:9', 1],
      ['refused unrecognized_notification body 3', 'standard input:10', 2],
    ]);
    expect(kinds[0].message).toBe('actualDepositAmount: expected zero or more, received -1');
    expect(kinds.at(-1).examples).toStrictEqual([
      { place: 'standard input:10', body: '{}' },
      { place: 'standard input:11', body: '{ }' },
    ]);
  });

  test.each([
    ['nothing', ''],
    ['blank lines', '\n \n\r\n'],
  ])('of %s fails', async (_, stdin) => {
    const { exit, out } = await command(['check'], { stdin });
    expect(exit).toBe(1);
    expect(out).toContain('\nThere are no bodies to check.\n');
  });

  const MOST = 'Most lines are not bodies. check reads one body a line;';
  test.each([
    ['a log', '{"level":30,"msg":"received"}\n{"level":30,"msg":"settled"}', 'neither'],
    ['a table', `id,body\n1,x\n2,y\n${depositOf(1)}`, '7 characters that are not JSON'],
    ['a list', `[${depositOf(1)},${depositOf(2)}]`, 'an array'],
    ['one body on several lines', JSON.stringify(JSON.parse(depositOf(1)), null, 2), 'JSON'],
  ])('that is %s is explained, with the first message of each kind', async (_, stdin, received) => {
    const { exit, out } = await command(['check'], { stdin });
    expect(exit).toBe(1);
    expect(out).toContain(`${MOST} inspect reads one body that spans lines.\n`);
    expect(out).toMatch(
      new RegExp(`\\d {2}refused: \\w+, first in .*\\n {12}body: expected .*${received}`),
    );
    expect((await checked(stdin.split('\n'))).hint).toContain(MOST);
  });

  test('is read as the endpoint that it was sent to would read it', async () => {
    const { kinds, hint } = await checked([withdrawalOf(1)], ['--as', 'deposit']);
    expect(kinds[0]).toMatchObject({ code: 'unrecognized_notification', field: 'body' });
    expect(hint).toBeNull();
    const warned = withdrawalOf(1, { txAddressOwner: { name: 'x', category: null } });
    expect(await checked([warned], ['--as', 'withdrawal'])).toMatchObject({ exit: 0 });
  });
});

describe('the report', () => {
  const bad = depositOf(4, { actualDepositAmount: '-1', depositCurrency: '\u202eX' });
  const lines = [
    ...[depositOf(1), depositOf(1), depositOf(1, { network: 'x', onChainFee: '1' })],
    ...['hello', bad, bad, ''],
    withdrawalOf(5, { txAddressOwner: { name: 'x', category: null } }),
  ];
  const stdin = lines.join('\n');

  test('is for people, the most frequent faults first, with colors where there are colors', async () => {
    const args = ['check', '--show', '1'];
    const { exit, out, err } = await command(args, { stdin, clock: ticking(500) });
    const coloured = await command(args, { stdin, clock: ticking(500), colors: true });
    expect(coloured.out).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured.out)).toBe(out);
    // Progress is told on a terminal alone.
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    const size = Math.ceil(Buffer.byteLength(stdin) / 100) / 10;
    expect(out).toBe(`standard input: 8 lines, ${size} kB in 500ms

         3  valid
         1  valid, with warnings
         3  refused
         1  blank

faults and warnings
         2  refused: negative_amount, first in standard input:5
            actualDepositAmount: expected zero or more, received -1
standard input:5 ${bad.replace('\u202e', '\\u202e')}
         1  refused: invalid_json, first in standard input:4
            body: expected a JSON object, received 5 characters that are not JSON
standard input:4 hello
         1  warnings: missing_field, first in standard input:8
            txAddressOwner.category: expected a string, received null
standard input:8 ${lines[7]}
`);
  });

  test('fits 60 columns, and breaks no word', async () => {
    const stdin = withdrawalOf(5, { txAddressOwner: { name: 'x', category: null } });
    const { out } = await command(['check'], { stdin, columns: 60 });
    expect(out).toContain(`
         1  warnings: missing_field, first in standard
            input:1
            txAddressOwner.category: expected a string,
            received null
`);
  });
});

describe('the refused lines', () => {
  test('are written aside as they were, up to the limit of a body', async () => {
    const file = join(folder, 'refused.ndjson');
    const longest = '{}'.padEnd(65_536);
    const lines = [depositOf(1), '{ }\r', 'hello', '', longest, `${longest} `];
    const { exit } = await checked(lines, ['--refused', file]);
    expect(exit).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(`{ }\r\nhello\n${longest}\n`);
  });

  test('are in no file if there are none, so that the command can be repeated', async () => {
    const file = join(folder, 'none.ndjson');
    const args = ['check', '--refused', file];
    expect((await command([...args, 'mistyped'])).exit).toBe(2);
    expect((await command(args, { stdin: depositOf(1) })).exit).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect((await command(args, { stdin: '{}' })).exit).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('{}\n');
  });

  test('are not written over a file, which is told before anything is read', async () => {
    const there = archive('there', depositOf(1));
    const { exit, out, err } = await command(['check', '--refused', there, there]);
    expect({ exit, out }).toStrictEqual({ exit: 2, out: '' });
    expect(err).toBe(
      `payment-notifications: --refused: ${there}: EEXIST: file already exists, open '${there}'\n`,
    );
    expect(readFileSync(there, 'utf8')).toBe(depositOf(1));
  });

  test('that can no longer be written end it, in one line', async () => {
    const file = join(folder, 'gone.ndjson');
    const replace = () => {
      rmSync(file);
      mkdirSync(file);
    };
    const input = inPieces(`${depositOf(1)}\n`, replace, '{}\n');
    const given = { input, watched: true };
    const { exit, out, err } = await command(['check', '--refused', file], given);
    expect({ exit, out }).toStrictEqual({ exit: 3, out: '' });
    expect(err).toContain(
      `\r\u001b[Kpayment-notifications: --refused: ${file}: EISDIR: illegal operation on a directory, open`,
    );
  });
});

describe('a file that can not be read', () => {
  test('to its end has its whole lines counted', async () => {
    const cut = () => {
      throw new Error('the cable\nis cut');
    };
    const whole = [`${depositOf(1)}\n{"deposit`, `Id":5}\n${depositOf(2)}\n{"depos`];
    const input = inPieces(...whole, cut);
    const { exit, out, err } = await command(['check', '--json'], { input });
    expect(exit).toBe(2);
    expect(err).toBe('payment-notifications: standard input: the cable\\u000ais cut\n');
    expect(JSON.parse(out).counts).toMatchObject({ lines: 3, valid: 2, refused: 1 });
  });

  test.each([
    ['text', 'junk', 'incorrect header check'],
    ['a zero byte and text', '\0junk', 'data after the end of the gzip stream'],
    ['a member that is cut off', gzipSync('x').subarray(0, 9), 'unexpected end of file'],
  ])('for %s after its gzip member has every line before that counted', async (_, junk, reason) => {
    const lines = Array.from({ length: 150 }, (_, seed) => `${depositOf(seed)}\n`);
    const stdin = Buffer.concat([gzipSync(lines.join('')), Buffer.from(junk)]);
    const { exit, out, err } = await command(['check', '--json'], { stdin });
    expect(exit).toBe(2);
    expect(err).toBe(`payment-notifications: standard input: ${reason}\n`);
    expect(JSON.parse(out).counts).toMatchObject({ lines: 150, valid: 150 });
  });

  test('is told of, and the others are checked', async () => {
    const junk = Buffer.from('junk');
    const good = archive('good.ndjson', depositOf(1));
    const odd = archive('odd.gz', Buffer.concat([gzipSync(`${depositOf(2)}\n`), junk]));
    const { exit, out, err } = await command(['check', 'none', odd, 'src', good]);
    expect(exit).toBe(2);
    expect(linesOf(err)).toStrictEqual([
      "payment-notifications: none: ENOENT: no such file or directory, open 'none'",
      `payment-notifications: ${odd}: incorrect header check`,
      'payment-notifications: src: EISDIR: illegal operation on a directory, read',
    ]);
    expect(linesOf(out).slice(0, 4)).toStrictEqual([
      expect.stringMatching(/^4 files: 2 lines, /),
      ...['none', odd, 'src'].map((file) => `not fully read: ${file}`),
    ]);
  });
});

test('progress is told on a terminal, five times a second, and taken away', async () => {
  const file = archive('long.ndjson', `${depositOf(1)}\n`.repeat(3000));
  const told = async (milliseconds: number) => {
    const { err } = await command(['check', file], { watched: true, clock: ticking(milliseconds) });
    expect(err.endsWith('\r\u001b[K')).toBe(true);
    return stripVTControlCharacters(err).split('\r').slice(1, -1);
  };
  const often = await told(1000);
  expect(often.length).toBeGreaterThan(8);
  for (const line of often) expect(line).toMatch(/^[\d,]+ lines, [\d.,]+ [kM]B$/);
  expect((await told(50)).length).toBeLessThan(often.length / 2);
});

test('Ctrl-C ends it with the whole lines that were read', async () => {
  const controller = new AbortController();
  const whole = `${depositOf(1)}\n${depositOf(2)}\n`;
  const input = inPieces(whole, '{"depos', () => controller.abort());
  const { exit, out } = await command(['check'], { input, interrupt: controller.signal });
  expect(exit).toBe(130);
  expect(out).toMatch(/^Interrupted: standard input: 2 lines/);
  expect(out).toContain(' 2  valid\n');
});
