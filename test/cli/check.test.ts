import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import type { Kind } from '../../src/cli/check-report.js';
import { createProgress } from '../../src/cli/progress.js';
import { formatBytes } from '../../src/cli/usage.js';
import { countPlainly, plantedArchive } from './planted.js';
import {
  command,
  type Given,
  inPieces,
  linesOf,
  temporaryFolder,
  terminalOf,
  ticking,
} from './terminal.js';

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

describe('an archive with planted faults', () => {
  const text = plantedArchive(1200);
  const middle = text.indexOf('\n', text.length / 2) + 1;
  const end = gzipSync(text.slice(middle));
  const whole = Buffer.concat([gzipSync(text.slice(0, middle)), end]);
  const cut = whole.subarray(0, -end.length / 2);

  test.each<[string, Buffer, size: number]>([
    ['plain', Buffer.from(text), 65_536],
    ['gzip of two members', whole, 65_536],
    ['gzip of which a member is cut in the middle', cut, 65_536],
    ['the same, from a pipe that hands on a little at a time', cut, 100],
  ])('as %s is counted as a plain script counts it', async (_, bytes, size) => {
    // A pipe may begin with a single byte.
    const pieces = [bytes.subarray(0, 1)];
    for (let start = 1; start < bytes.length; start += size) {
      pieces.push(bytes.subarray(start, start + size));
    }
    const { exit, err, out } = await command(['check', '--json'], { input: Readable.from(pieces) });
    const { counts, kinds, keys, ...rest } = JSON.parse(out);
    expect(rest.bytes).toBe(bytes.length);
    expect({ exit, err }).toStrictEqual(
      bytes === cut
        ? { exit: 2, err: 'payment-notifications: standard input: unexpected end of file\n' }
        : { exit: 1, err: '' },
    );
    const expected = countPlainly(bytes);
    expect(expected.counts.lines).toBeGreaterThan(bytes === cut ? 700 : 1199);
    expect(Math.min(...Object.values(expected.counts))).toBeGreaterThan(20);
    expect(counts).toStrictEqual(expected.counts);
    const { limit, conflicts, ...found } = keys;
    expect(found).toStrictEqual(expected.keys);
    expect(conflicts).toHaveLength(expected.keys.conflicting);
    expect(kinds.length).toBe(3);
    expect(limit).toBe(500_000);
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
    const { counts, kinds, keys, ...rest } = JSON.parse(out);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(rest).toStrictEqual({
      files: ['standard input'],
      unread: [],
      bytes: Buffer.byteLength(stdin),
      durationMs: 0,
      interrupted: false,
    });
    expect(counts).toStrictEqual({
      ...{ lines: 12, blank: 2, valid: 2, warnings: 1, refused: 4, noBody: 3 },
    });
    const found = kinds.map(({ first, examples, ...kind }: Kind) => [
      Object.values(kind).join(' '),
      first,
      examples.length,
    ]);
    expect(found).toStrictEqual([
      ['refused negative_amount actualDepositAmount 1', { file: 0, line: 5 }, 1],
      ['noBody invalid_json body 1', { file: 0, line: 6 }, 1],
      ['noBody not_an_object body 1', { file: 0, line: 7 }, 1],
      ['noBody body_too_large body 1', { file: 0, line: 8 }, 1],
      ['warnings missing_field txAddressOwner.category 1', { file: 0, line: 9 }, 1],
      ['refused unrecognized_notification body 3', { file: 0, line: 10 }, 2],
    ]);
    expect(kinds.at(-1).examples).toStrictEqual([
      { file: 0, line: 10, body: '{}' },
      { file: 0, line: 11, body: '{ }' },
    ]);
  });

  test('without a fault may be empty, or have warnings', async () => {
    const warned = withdrawalOf(5, { txAddressOwner: { name: 'x', category: null } });
    for (const lines of [[], [warned]]) expect(await checked(lines)).toMatchObject({ exit: 0 });
    expect((await command(['check'], { stdin: '' })).out).not.toContain('idempotency keys');
  });

  test('is read as the endpoint that it was sent to would read it', async () => {
    const { kinds } = await checked([withdrawalOf(1)], ['--as', 'deposit']);
    expect(kinds[0]).toMatchObject({ code: 'unrecognized_notification', field: 'body' });
    expect(await checked([withdrawalOf(1)], ['--as', 'withdrawal'])).toMatchObject({ exit: 0 });
  });

  test('may begin with half of what gzip begins with', async () => {
    for (const bytes of [[0x1f, 0x7b], [0x7b, 0x8b], [0x31], [0x1f]]) {
      const { counts } = await checked([], [], { stdin: Buffer.from(bytes) });
      expect(counts).toMatchObject({ lines: 1, noBody: 1 });
    }
  });
});

describe('events', () => {
  test('that came again are counted, in whichever encoding', async () => {
    const again = JSON.stringify({
      ...JSON.parse(depositOf(1)),
      depositId: JSON.parse(depositOf(1)).depositId.toUpperCase(),
      paymentId: JSON.parse(depositOf(1)).paymentId.toUpperCase(),
      actualDepositAmount: '0.015230',
      rateType: 'FLOATING',
    });
    const untagged = withdrawalOf(2, { toTxAddress: 'rX' });
    const { exit, keys } = await checked([
      ...[depositOf(1), depositOf(2), again, withdrawalOf(1)],
      ...[withdrawalOf(1, { status: 'FAILED' }), withdrawalOf(1).replace('deducted', 'deduced')],
      ...[untagged, untagged.replace('"rX"', '"rX?dt="')],
    ]);
    expect(exit).toBe(0);
    expect(keys).toStrictEqual({
      ...{ limit: 500_000, different: 5, repeated: 3, unremembered: 0, conflicting: 0 },
      differing: { amount: 0, currency: 0, account: 0 },
      conflicts: [],
    });
  });

  const D = 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-000000000001';
  const W = 'withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-000000000001';
  const failed = withdrawalOf(1, { status: 'FAILED' });
  const failedNowhere = withdrawalOf(1, { status: 'FAILED', toTxAddress: null });

  type Overrides = Parameters<typeof depositOf>[1] & Parameters<typeof withdrawalOf>[1];
  const depositWith = (fields: Overrides) => [D, depositOf(1), depositOf(1, fields)] as const;
  const withdrawalWith = (fields: Overrides) =>
    [`${W}:COMPLETED`, withdrawalOf(1), withdrawalOf(1, fields)] as const;
  const several = { withdrawFee: '1', settlementCurrency: 'EUR', toTxAddress: 'r' };

  test.each<[string, readonly [key: string, one: string, other: string], string[]]>([
    ['an amount or none', depositWith({ onChainFee: null }), ['amount']],
    ['its field', depositWith({ onChainFee: '4.75', displayServiceFee: '0.00001234' }), ['amount']],
    ['a currency', depositWith({ depositCurrency: 'ETH' }), ['currency']],
    ['its place', depositWith({ displayCurrency: 'BTC', depositCurrency: 'EUR' }), ['currency']],
    ['the network', depositWith({ network: 'LIGHTNING' }), ['account']],
    ['an address', depositWith({ depositAddress: 'x' }), ['account']],
    ['the sender', depositWith({ fromAddress: null }), ['account']],
    ['the payment', depositWith({ clientPaymentId: 'a\nb' }), ['account']],
    ['a coin', withdrawalWith({ withdrawCurrency: 'XLM' }), ['currency']],
    ['its address', [`${W}:FAILED`, failed, failed.replace('"rExample', '"rAnother')], ['account']],
    ['an address or none', [`${W}:FAILED`, failed, failedNowhere], ['account']],
    ['the merchant', withdrawalWith({ clientWithdrawalId: 'x' }), ['account']],
    ['several', withdrawalWith(several), ['amount', 'currency', 'account']],
  ])('that differ in %s contradict each other', async (_, [key, one, other], differs) => {
    const { exit, keys } = await checked([one, depositOf(2), other]);
    expect(exit).toBe(1);
    const places = [1, 3].map((line) => ({ file: 0, line }));
    expect(keys.conflicts).toStrictEqual([{ key, differs, places }]);
    const counted = Object.keys(keys.differing).filter((what) => keys.differing[what] === 1);
    expect(counted).toStrictEqual(differs);
  });

  test('are told once, with each line that differs in something new', async () => {
    const other = depositOf(1, { settlementAmount: '1' });
    const third = depositOf(1, { settlementAmount: '2', network: 'x' });
    const { keys } = await checked([depositOf(1), depositOf(1), other, other, third, third]);
    expect(keys).toMatchObject({
      ...{ different: 1, repeated: 5, conflicting: 1 },
      differing: { amount: 1, currency: 0, account: 1 },
      conflicts: [
        { differs: ['amount', 'account'], places: [{ line: 1 }, { line: 3 }, { line: 5 }] },
      ],
    });
  });

  test('are compared across files', async () => {
    const one = archive('one.ndjson', `${depositOf(3)}\n`);
    const two = archive('two.ndjson', `\n${depositOf(1)}\n`);
    const three = archive('three.ndjson.gz', gzipSync(`${depositOf(1, { network: 'x' })}\n`));
    const { exit, out } = await command(['check', one, two, three]);
    expect(exit).toBe(1);
    expect(out).toContain(`${two}:2 and ${three}:1 ${D} account\n`);
    expect(out).toMatch(/^3 files: 4 lines, [\d.]+ kB in 0 ms, 4,000 a second\n/);
  });

  test('are remembered up to a limit, and those beyond are counted', async () => {
    const lines = [1, 2, 3, 3, 1].map((seed) => depositOf(seed));
    const { keys } = await checked(lines, ['--keys', '2']);
    expect(keys).toMatchObject({ limit: 2, different: 2, repeated: 1, unremembered: 2 });
    const { out, exit } = await command(['check', '--keys', '0'], { stdin: lines.join('\n') });
    expect(out).toContain(' 5  beyond the first 0: not compared (--keys)\n');
    expect(out).toContain('\n\nidempotency keys\n');
    // What could not be compared may contradict itself.
    expect(exit).toBe(1);
  });

  test('that contradict each other are listed up to a limit', async () => {
    const lines = Array.from({ length: 1001 }, (_, seed) => [
      depositOf(seed),
      depositOf(seed, { network: 'x' }),
    ]).flat();
    const { keys } = await checked(lines);
    expect(keys.conflicting).toBe(1001);
    expect(keys.conflicts).toHaveLength(1000);
    const { out } = await command(['check'], { stdin: lines.join('\n') });
    expect(out.match(/ and standard input:/g)).toHaveLength(10);
    expect(out).toMatch(/ 991 {2}more\n$/);
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

  test('is for people, the most frequent faults first, with colours where there are colours', async () => {
    const args = ['check', '--show', '1'];
    const { exit, out, err } = await command(args, { stdin, clock: ticking(500) });
    const coloured = await command(args, { stdin, clock: ticking(500), colours: true });
    expect(coloured.out).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured.out)).toBe(out);
    // Progress is told on a terminal alone.
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    const size = Number((Buffer.byteLength(stdin) / 1000).toFixed(1));
    expect(out).toBe(`standard input: 8 lines, ${size} kB in 500 ms, 16 a second

         3  valid
         1  valid, with warnings
         2  refused
         1  not a JSON object in one line
         1  blank

faults and warnings
         2  refused: negative_amount actualDepositAmount, first in standard input:5
standard input:5 ${bad.replace('\u202e', '\\u202e')}
         1  not a JSON object: invalid_json body, first in standard input:4
standard input:4 hello
         1  warning: missing_field txAddressOwner.category, first in standard input:8
standard input:8 ${lines[7]}

idempotency keys
         2  different
         2  redelivered
         1  with bodies that contradict each other
         1  of them in amount
         1  of them in account
standard input:1 and standard input:3 deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-000000000001 amount, account
`);
  });

  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_234_567, '1.2 MB'],
    [5e15, '5000 TB'],
  ])('says %i bytes as %s', (bytes, said) => {
    expect(formatBytes(bytes)).toBe(said);
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
    expect(err).toBe(`payment-notifications: --refused: ${there}: file already exists\n`);
    expect(readFileSync(there, 'utf8')).toBe(depositOf(1));
  });

  test('that can no longer be written end it, in one line', async () => {
    const file = join(folder, 'gone.ndjson');
    const replace = () => {
      rmSync(file);
      mkdirSync(file);
    };
    const input = inPieces(`${depositOf(1)}\n`, replace, '{}\n');
    const { exit, out, err } = await command(['check', '--refused', file], {
      input,
      watched: true,
    });
    expect({ exit, out }).toStrictEqual({ exit: 3, out: '' });
    expect(err).toContain(`--refused: ${file}: illegal operation on a directory\n`);
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

  test('is told of, and the others are checked', async () => {
    const good = archive('good.ndjson', depositOf(1));
    const zipped = gzipSync(Array.from({ length: 150 }, (_, seed) => depositOf(seed)).join('\n'));
    // Node.js drops up to 16 KiB that it has unzipped together with the fault.
    const odd = archive('odd.gz', Buffer.concat([zipped, Buffer.from('not gzip')]));
    const { exit, out, err } = await command(['check', 'none', odd, 'src', good]);
    expect(exit).toBe(2);
    expect(linesOf(err)).toStrictEqual([
      'payment-notifications: none: no such file or directory',
      `payment-notifications: ${odd}: incorrect header check`,
      'payment-notifications: src: illegal operation on a directory',
    ]);
    expect(linesOf(out).slice(0, 4)).toStrictEqual([
      expect.stringMatching(/^4 files: 1\d\d lines, /),
      ...['none', odd, 'src'].map((file) => `not fully read: ${file}`),
    ]);
  });
});

describe('progress', () => {
  const lines = Array.from({ length: 3000 }, (_, seed) => depositOf(seed)).join('\n');
  const told = (err: string) => stripVTControlCharacters(err).split('\r').slice(1, -1);

  test('says how much is left, as fast as it went so far, five times a second', () => {
    let now = 5000;
    const clock = { now: () => now, sleep: async () => {} };
    const { terminal, err } = terminalOf({ clock, watched: true, columns: 100 });
    const update = createProgress(terminal, 1000);
    for (const [time, bytes] of [
      [5199, 100],
      [5500, 250],
      [5699, 300],
      // The file has grown.
      [6000, 2000],
    ] as const) {
      now = time;
      update(bytes, 50);
    }
    expect(told(`${err.join('')}\r\u001b[K`)).toStrictEqual([
      ' 250 bytes of 1 kB, 100 bodies a second, 1.5 s left',
      ' 2 kB of 1 kB, 50 bodies a second, 0 ms left',
    ]);
  });

  test('is told on a terminal, in its width less one column, and taken away', async () => {
    const given = { watched: true, clock: ticking(1000), columns: 100, colours: true };
    const file = archive('long.ndjson', lines);
    const { err } = await command(['check', file], given);
    expect(told(err).length).toBeGreaterThan(8);
    for (const line of told(err)) expect(line).toMatch(/^ [\d.]+ [kM]B of 2\.\d MB, .* left$/);
    expect(told(err).at(-1)).toMatch(/ 0 ms left$/);
    expect(err.endsWith('\r\u001b[K')).toBe(true);
    // Of what is no file, the size is unknown.
    const endless = await command(['check', '/dev/null', file], given);
    expect(told(endless.err).at(-1)).toMatch(/^ [\d.]+ MB, [\d,]+ bodies a second$/);
    const narrow = await command(['check'], { stdin: lines, ...given, columns: 20 });
    expect(told(narrow.err).at(-1)).toMatch(/^.{18}…$/);
  });
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
