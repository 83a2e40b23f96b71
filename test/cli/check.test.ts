import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { createProgress } from '../../src/cli/progress.js';
import { withoutColours } from '../process/command.js';
import { deposit } from '../wire.js';
import { command, linesOf, ticking } from './terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes an archive, and returns its path. */
function archive(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

type Given = Parameters<typeof command>[1];

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

describe('an archive', () => {
  test('is counted by what became of its lines', async () => {
    const stdin = [
      depositOf(1),
      '',
      withdrawalOf(1),
      `${depositOf(2)}\r`,
      depositOf(3, { onChainFee: undefined })
        .replace('{', '{"rateType":5,')
        .replace(',"rateType":"FIXED"', ''),
      ' \t\r',
      depositOf(4, { actualDepositAmount: '-1' }),
      'hello',
      '[]',
      `"${'x'.repeat(70_000)}"`,
      withdrawalOf(5, { txAddressOwner: { name: 'x', category: null } }),
    ].join('\n');
    const { exit, err, out } = await command(['check', '--json'], { stdin });
    const { counts, kinds, ...rest } = JSON.parse(out);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(rest).toMatchObject({
      files: ['standard input'],
      unread: [],
      bytes: Buffer.byteLength(stdin),
      durationMs: 0,
      interrupted: false,
    });
    expect(counts).toStrictEqual({
      lines: 11,
      blank: 2,
      valid: 3,
      warnings: 2,
      refused: 1,
      noBody: 3,
    });
    expect(kinds).toStrictEqual([
      kind('warnings', 'wrong_type', 'rateType', 5),
      kind('refused', 'negative_amount', 'actualDepositAmount', 7),
      kind('noBody', 'invalid_json', 'body', 8),
      kind('noBody', 'not_an_object', 'body', 9),
      kind('noBody', 'body_too_large', 'body', 10),
      kind('warnings', 'missing_field', 'txAddressOwner.category', 11),
    ]);
  });

  function kind(verdict: string, code: string, field: string, line: number) {
    return { verdict, code, field, count: 1, first: { file: 0, line }, examples: [] };
  }

  test('of valid bodies is valid', async () => {
    expect(await checked([depositOf(1), withdrawalOf(1)])).toMatchObject({ exit: 0, kinds: [] });
  });

  test('without a body is valid', async () => {
    expect(await checked([])).toMatchObject({ exit: 0, counts: { lines: 0 } });
  });

  test('with warnings is valid', async () => {
    const { exit, counts } = await checked([deposit({ rateType: '"CAPPED"' })]);
    expect({ exit, warnings: counts.warnings }).toStrictEqual({ exit: 0, warnings: 1 });
  });

  test('is read as the endpoint that it was sent to would read it', async () => {
    const { kinds } = await checked([withdrawalOf(1)], ['--as', 'deposit']);
    expect(kinds[0]).toMatchObject({ code: 'unrecognized_notification', field: 'body' });
    expect(await checked([withdrawalOf(1)], ['--as', 'withdrawal'])).toMatchObject({ exit: 0 });
  });

  test('may be gzip, in several members, by whatever name', async () => {
    const zipped = Buffer.concat([gzipSync(`${depositOf(1)}\n`), gzipSync(depositOf(2))]);
    const file = archive('zipped.ndjson', zipped);
    for (const [args, given] of [
      [[file], {}],
      [['-'], { input: Readable.from([zipped.subarray(0, 1), zipped.subarray(1)]) }],
    ] as const) {
      const { exit, out } = await command(['check', '--json', ...args], given);
      expect(exit).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ bytes: zipped.length, counts: { valid: 2 } });
    }
  });

  test('may begin with one of the bytes with which gzip does', async () => {
    for (const start of [
      [0x1f, 0x7b],
      [0x7b, 0x8b],
    ]) {
      const { counts } = await checked([], [], { stdin: Buffer.from(start) });
      expect(counts).toMatchObject({ lines: 1, noBody: 1 });
    }
  });

  test('may be a single byte', async () => {
    expect(await checked([], [], { stdin: '1' })).toMatchObject({ counts: { noBody: 1 } });
  });

  test('that is many parts long is counted to the line', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) =>
      index % 1000 === 999 ? '{}' : depositOf(index),
    );
    const { counts, kinds } = await checked(lines, ['--show', '2']);
    expect(counts).toMatchObject({ lines: 3000, valid: 2997, refused: 3 });
    expect(kinds).toMatchObject([
      {
        count: 3,
        first: { file: 0, line: 1000 },
        examples: [
          { file: 0, line: 1000, body: '{}' },
          { file: 0, line: 2000, body: '{}' },
        ],
      },
    ]);
  });

  test('with a line beyond all limits is read on behind it', async () => {
    const lines = [depositOf(1), 'x'.repeat(1_000_000), depositOf(2), '{}'];
    const { counts, kinds } = await checked(lines);
    expect(counts).toMatchObject({ lines: 4, valid: 2, noBody: 1, refused: 1 });
    expect(kinds).toMatchObject([
      { code: 'body_too_large', first: { line: 2 } },
      { code: 'unrecognized_notification', first: { line: 4 } },
    ]);
    const last = await checked([], [], { stdin: 'x'.repeat(1_000_000) });
    expect(last.counts).toMatchObject({ lines: 1, noBody: 1 });
  });
});

describe('events', () => {
  test('that came again are counted, in whichever encoding', async () => {
    const again = JSON.stringify({
      ...JSON.parse(depositOf(1)),
      depositId: JSON.parse(depositOf(1)).depositId.toUpperCase(),
      paymentId: JSON.parse(depositOf(1)).paymentId.toUpperCase(),
      actualDepositAmount: '0.015230',
      status: 'CONFIRMED',
      rateType: 'FLOATING',
    });
    const { exit, keys } = await checked([
      depositOf(1),
      depositOf(2),
      again,
      withdrawalOf(1),
      withdrawalOf(1, { status: 'FAILED' }),
      withdrawalOf(1, { status: 'BLOCKED' }),
      withdrawalOf(1).replace('deducted', 'deduced'),
    ]);
    expect(exit).toBe(0);
    expect(keys).toStrictEqual({
      limit: 2_000_000,
      different: 5,
      repeated: 2,
      unremembered: 0,
      conflicting: 0,
      differing: { amount: 0, currency: 0, account: 0 },
      conflicts: [],
    });
  });

  const D = 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-000000000001';
  const W = 'withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-000000000001';
  const TAG = 'rExampleXrpAddress111111111111111?dt=048291';
  const failed = withdrawalOf(1, { status: 'FAILED' });
  const failedNowhere = withdrawalOf(1, { status: 'FAILED', toTxAddress: null });

  type Overrides = Parameters<typeof depositOf>[1] & Parameters<typeof withdrawalOf>[1];
  const depositWith = (fields: Overrides) => [D, depositOf(1), depositOf(1, fields)] as const;
  const withdrawalWith = (fields: Overrides) =>
    [`${W}:COMPLETED`, withdrawalOf(1), withdrawalOf(1, fields)] as const;

  test.each<[string, readonly [key: string, one: string, other: string], string[]]>([
    ['an amount', depositWith({ settlementAmount: '950.26' }), ['amount']],
    // With one word of 32 bits for their hashes, and no seed, these two came to the same.
    [
      'an amount that a short hash would miss',
      [
        D,
        depositOf(1, { settlementAmount: '782.48' }),
        depositOf(1, { settlementAmount: '952.05' }),
      ],
      ['amount'],
    ],
    ['its sign', depositWith({ onChainFee: '-0.00001234' }), ['amount']],
    ['its magnitude', depositWith({ onChainFee: '0.0001234' }), ['amount']],
    ['its absence', depositWith({ onChainFee: null }), ['amount']],
    ['a currency', depositWith({ depositCurrency: 'ETH' }), ['currency']],
    ['its place', depositWith({ displayCurrency: 'BTC', depositCurrency: 'EUR' }), ['currency']],
    ['the network', depositWith({ network: 'LIGHTNING' }), ['account']],
    ['an address', depositWith({ depositAddress: 'x' }), ['account']],
    ['the sender', depositWith({ fromAddress: null }), ['account']],
    ['the payment', depositWith({ clientPaymentId: 'order-9' }), ['account']],
    ['a debit', withdrawalWith({ deductedSettlementAmount: '1' }), ['amount']],
    ['a coin', withdrawalWith({ withdrawCurrency: 'XLM' }), ['currency']],
    ['the tag', withdrawalWith({ toTxAddress: TAG }), ['account']],
    ['its address', [`${W}:FAILED`, failed, failed.replace('"rExample', '"rAnother')], ['account']],
    ['an address or none', [`${W}:FAILED`, failed, failedNowhere], ['account']],
    ['the merchant', withdrawalWith({ clientWithdrawalId: 'x' }), ['account']],
    [
      'several',
      withdrawalWith({ withdrawFee: '1', settlementCurrency: 'EUR', toTxAddress: 'r' }),
      ['amount', 'currency', 'account'],
    ],
  ])('that differ in %s contradict each other', async (_, [key, one, other], differs) => {
    const { exit, keys } = await checked([one, depositOf(2), other]);
    expect(exit).toBe(1);
    expect(keys).toMatchObject({
      conflicting: 1,
      conflicts: [
        {
          key,
          differs,
          places: [
            { file: 0, line: 1 },
            { file: 0, line: 3 },
          ],
        },
      ],
    });
    for (const [difference, count] of Object.entries(keys.differing)) {
      expect(count, difference).toBe(differs.includes(difference) ? 1 : 0);
    }
  });

  test('are told once, with each line that differs in something new', async () => {
    const other = depositOf(1, { settlementAmount: '1' });
    const third = depositOf(1, { settlementAmount: '2', network: 'x' });
    const lines = [depositOf(1), depositOf(1), other, other, third, third];
    const { keys } = await checked(lines);
    expect(keys).toMatchObject({
      different: 1,
      repeated: 5,
      conflicting: 1,
      differing: { amount: 1, currency: 0, account: 1 },
      conflicts: [
        { differs: ['amount', 'account'], places: [{ line: 1 }, { line: 3 }, { line: 5 }] },
      ],
    });
    const { out } = await command(['check'], { stdin: lines.join('\n') });
    expect(out).toContain(
      ` standard input:1 and standard input:3 and standard input:5 ${D} amount, account\n`,
    );
  });

  test('are compared across files', async () => {
    const one = archive('one.ndjson', `${depositOf(3)}\n`);
    const two = archive('two.ndjson', `\n${depositOf(1)}\n`);
    const three = archive('three.ndjson.gz', gzipSync(`${depositOf(1, { network: 'x' })}\n`));
    const { exit, out } = await command(['check', one, two, three]);
    expect(exit).toBe(1);
    expect(out).toContain(` ${two}:2 and ${three}:1 ${D} account\n`);
    expect(out).toMatch(/^3 files: 4 lines, [\d.]+ kB in 0 ms, 4,000 a second\n/);
  });

  test('are remembered up to a limit, and those beyond are counted', async () => {
    const lines = [1, 2, 3, 3, 1].map((seed) => depositOf(seed));
    const { keys } = await checked(lines, ['--keys', '2']);
    expect(keys).toMatchObject({ limit: 2, different: 2, repeated: 1, unremembered: 2 });
    const { out, exit } = await command(['check', '--keys', '0'], { stdin: lines.join('\n') });
    expect(out).toContain(' 5  bodies beyond 0 keys: not compared (--keys)\n');
    // What could not be compared may contradict itself.
    expect(exit).toBe(1);
  });

  test('are found among very many', async () => {
    // More than one array of the table holds, and some that came before it grew.
    const seeds = Array.from({ length: 17_000 }, (_, seed) => seed);
    const small = (seed: number) =>
      depositOf(seed, Object.fromEntries(OPTIONAL.map((name) => [name, undefined])));
    const { keys } = await checked(
      [...seeds, ...seeds.slice(0, 500), ...seeds.slice(-500)].map(small),
    );
    expect(keys).toMatchObject({ different: 17_000, repeated: 1000, conflicting: 0 });
  });

  const OPTIONAL = ['displayServiceFee', 'settlementServiceFee', 'depositAddress', 'transactionId'];
});

describe('what is shown', () => {
  test('is a report for people', async () => {
    const bad = depositOf(4, { actualDepositAmount: '-1', depositCurrency: '\u202eX' });
    const lines = [
      depositOf(1),
      depositOf(1),
      depositOf(1, { network: 'x', onChainFee: '1' }),
      bad,
      bad,
      'hello',
      '',
      withdrawalOf(5, { txAddressOwner: { name: 'x', category: null } }),
    ];
    const { exit, out } = await command(['check', '--show', '1'], {
      stdin: lines.join('\n'),
      clock: ticking(500),
    });
    expect(exit).toBe(1);
    expect(out).toBe(`standard input: 8 lines, ${sizeOf(lines)} kB in 500 ms, 16 a second

 3  valid
 1  valid, with warnings
 2  refused
 1  line that is not a JSON object
 1  blank line

refused
 2  negative_amount  actualDepositAmount  first in standard input:4
   standard input:4 ${bad.replace('\u202e', '\\u202e')}

not a JSON object
 1  invalid_json  body  first in standard input:6
   standard input:6 hello

warnings
 1  missing_field  txAddressOwner.category  first in standard input:8
   standard input:8 ${lines[7]}

idempotency keys
 2  different
 2  redeliveries
 1  with conflicting bodies

contradictions
 1  differs in an amount
 1  differs in an account
 standard input:1 and standard input:3 deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-000000000001 amount, account
`);
  });

  test('has the singular for one and the plural for several', async () => {
    const one = await command(['check', '--keys', '1'], {
      stdin: `${depositOf(1)}\n${depositOf(2)}`,
    });
    expect(linesOf(one.out).slice(-2)).toStrictEqual([
      ' 1  different',
      ' 1  body beyond 1 key: not compared (--keys)',
    ]);
    expect((await command(['check'], { stdin: 'x' })).out).toContain(
      'standard input: 1 line, 1 byte in 0 ms',
    );
    const pairs = [1, 2].flatMap((seed) => [
      depositOf(seed),
      depositOf(seed, { settlementAmount: '1', depositCurrency: 'ETH', network: 'x' }),
    ]);
    const { out } = await command(['check'], { stdin: [...pairs, 'x', 'x', '', ''].join('\n') });
    expect(linesOf(out).filter((line) => line.startsWith(' 2 '))).toStrictEqual([
      ' 2  lines that are not a JSON object',
      ' 2  invalid_json  body  first in standard input:5',
      ' 2  different',
      ' 2  redeliveries',
      ' 2  with conflicting bodies',
      ' 2  differ in an amount',
      ' 2  differ in a currency',
      ' 2  differ in an account',
    ]);
    expect(out).toContain(' 1  blank line\n');
  });

  const sizeOf = (lines: string[]) =>
    Number((Buffer.byteLength(lines.join('\n')) / 1000).toFixed(1));

  test('is sorted by how often it came, in columns', async () => {
    const seeds = Array.from({ length: 12 }, (_, seed) => seed);
    const lines = ['{}', '{}', ...seeds.map((seed) => depositOf(seed, { paymentId: 'x' }))];
    const { out } = await command(['check'], { stdin: lines.join('\n') });
    expect(linesOf(out)).toStrictEqual(
      expect.arrayContaining([
        '  0  valid',
        ' 14  refused',
        ' 12  invalid_id                 paymentId  first in standard input:3',
        '  2  unrecognized_notification  body       first in standard input:1',
      ]),
    );
    expect(out.indexOf('invalid_id')).toBeLessThan(out.indexOf('unrecognized'));
  });

  test('are the first ten contradictions, and how many more there are', async () => {
    const lines = Array.from({ length: 12 }, (_, seed) => [
      depositOf(seed),
      depositOf(seed, { network: 'x' }),
    ]).flat();
    const { out } = await command(['check'], { stdin: lines.join('\n') });
    expect(out.match(/ and standard input:/g)).toHaveLength(10);
    expect(out).toContain('\n and 2 more\n');
    expect((await checked(lines)).keys.conflicts).toHaveLength(12);
  });

  test('are the first thousand contradictions for programs', async () => {
    const lines = Array.from({ length: 1001 }, (_, seed) => [
      depositOf(seed),
      depositOf(seed, { network: 'x' }),
    ]).flat();
    const { conflicting, conflicts } = (await checked(lines)).keys;
    expect(conflicting).toBe(1001);
    expect(conflicts).toHaveLength(1000);
  });

  test('has colours where there are colours, and nothing else changes', async () => {
    const stdin = [depositOf(1), depositOf(1, { network: 'x' }), '{}', 'x'].join('\n');
    const plain = await command(['check', '--show', '1'], { stdin });
    const coloured = await command(['check', '--show', '1'], { stdin, colours: true });
    expect(coloured.out).toContain('\u001b[');
    expect(withoutColours(coloured.out)).toBe(plain.out);
  });
});

describe('the refused lines', () => {
  test('are written aside as they were', async () => {
    const file = join(folder, 'refused.ndjson');
    const long = 'x'.repeat(70_000);
    const lines = [depositOf(1), '{ }\r', 'hello', withdrawalOf(1, { withdrawalId: 'x' }), long];
    const { exit } = await checked(lines, ['--refused', file]);
    expect(exit).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(`{ }\r\nhello\n${lines[3]}\n`);
  });

  test('are written aside up to the limit of a body', async () => {
    const file = join(folder, 'limit.ndjson');
    const longest = '{}'.padEnd(65_536);
    await checked([longest, `${longest} `], ['--refused', file]);
    expect(readFileSync(file, 'utf8')).toBe(`${longest}\n`);
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

  test('are not written over what is there', async () => {
    const file = archive('there.ndjson', depositOf(1));
    const { exit, out, err } = await command(['check', '--refused', file, file]);
    expect({ exit, out }).toStrictEqual({ exit: 2, out: '' });
    expect(err).toBe(`payment-notifications: --refused: ${file}: file already exists\n`);
    expect(readFileSync(file, 'utf8')).toBe(depositOf(1));
  });
});

describe('a file that can not be read', () => {
  test('may be the only one', async () => {
    const { exit, out } = await command(['check', 'src']);
    expect(exit).toBe(2);
    expect(out).toContain('src, not read to the end: 0 lines, 0 bytes');
  });

  test('is counted in the first line among several', async () => {
    const good = archive('one-line.ndjson', depositOf(1));
    const { out } = await command(['check', 'none', good, 'src']);
    expect(out).toMatch(/^3 files, 2 of them not read to the end: 1 line, /);
  });

  test('because its gzip breaks off has its whole lines counted', async () => {
    const zipped = gzipSync(`${depositOf(1)}\n${depositOf(2)}\n{"depositId":`);
    const file = archive('cut-short.gz', zipped.subarray(0, -8));
    const { exit, out } = await command(['check', '--json', file]);
    expect(exit).toBe(2);
    expect(JSON.parse(out).counts).toMatchObject({ lines: 2, valid: 2 });
  });

  test('because something else is behind its gzip has the lines counted before that', async () => {
    // Node.js drops what it unzips together with the fault: up to 64 KiB.
    const zipped = gzipSync(`${depositOf(1)}\n`.repeat(150));
    const file = archive('behind.gz', Buffer.concat([zipped, Buffer.from('behind it')]));
    const { exit, out } = await command(['check', '--json', file]);
    expect(exit).toBe(2);
    expect(JSON.parse(out).counts.valid).toBeGreaterThan(50);
  });

  test('to its end has its whole lines counted', async () => {
    const input = Readable.from(
      (async function* () {
        yield Buffer.from(`${depositOf(1)}\n{"deposit`);
        yield Buffer.from(`Id":5}\n${depositOf(2)}\n{"depos`);
        throw new Error('the cable is cut');
      })(),
    );
    const { exit, out, err } = await command(['check', '--json'], { input });
    expect(exit).toBe(2);
    expect(err).toBe('payment-notifications: standard input: the cable is cut\n');
    expect(JSON.parse(out).counts).toMatchObject({ lines: 3, valid: 2, refused: 1 });
  });

  test('is told of, and the others are checked', async () => {
    const good = archive('good.ndjson', depositOf(1));
    const gzip = gzipSync(Array.from({ length: 2000 }, (_, seed) => depositOf(seed)).join('\n'));
    const cut = archive('cut.gz', gzip.subarray(0, gzip.length - 100));
    const { exit, out, err } = await command(['check', '--json', 'none', cut, 'src', good]);
    expect(exit).toBe(2);
    expect(linesOf(err)).toStrictEqual([
      'payment-notifications: none: no such file or directory',
      `payment-notifications: ${cut}: unexpected end of file`,
      'payment-notifications: src: illegal operation on a directory',
    ]);
    const { unread, counts } = JSON.parse(out);
    expect(unread).toStrictEqual(['none', cut, 'src']);
    // What was unzipped counts.
    expect(counts.valid).toBeGreaterThan(1000);
  });
});

describe('a fault of the program itself', () => {
  test('is not taken for one of the file', async () => {
    const clock = {
      now: () => {
        throw new Error('no time');
      },
      sleep: async () => {},
    };
    await expect(command(['check'], { clock })).rejects.toThrow('no time');
  });
});

describe('progress', () => {
  const lines = Array.from({ length: 3000 }, (_, seed) => depositOf(seed)).join('\n');

  test('is told on a terminal, with the time left, and taken away', async () => {
    const file = archive('long.ndjson', lines);
    const { err } = await command(['check', file], {
      watched: true,
      clock: ticking(1000),
      columns: 100,
      colours: true,
    });
    const told = withoutColours(err).split('\r\u001b[K');
    expect(told[0]).toBe('');
    expect(told.at(-1)).toBe('');
    expect(told.length).toBeGreaterThan(8);
    for (const line of told.slice(1, -1)) {
      expect(line).toMatch(/^ [\d.]+ [kM]B of 2\.\d MB, \d+ bodies a second, [\d.]+ m?s left$/);
    }
    expect(told.at(-2)).toMatch(/ 0 ms left$/);
  });

  test('says how much is left, as fast as it went so far', () => {
    let now = 5000;
    const written: string[] = [];
    const progress = createProgress(
      {
        clock: { now: () => now, sleep: async () => {} },
        watched: true,
        colours: false,
        columns: 100,
        warn: (text) => void written.push(text),
      },
      1000,
    );
    now = 5500;
    progress.update(250, 50);
    now = 6000;
    // The file has grown.
    progress.update(2000, 50);
    expect(written).toStrictEqual([
      '\r\u001b[K 250 bytes of 1 kB, 100 bodies a second, 1.5 s left',
      '\r\u001b[K 2 kB of 1 kB, 50 bodies a second, 0 ms left',
    ]);
  });

  test('knows no end where there is something else than files', async () => {
    const file = archive('beside.ndjson', lines);
    const { err } = await command(['check', 'src', file], { watched: true, clock: ticking(1000) });
    const [, , told] = err.split('\r\u001b[K');
    expect(told).toMatch(/^ [\d.]+ [kM]B, \d+ bodies a second$/);
  });

  test('makes way for what is told of a file', async () => {
    const whole = gzipSync(lines);
    const broken = archive('broken.gz', whole.subarray(0, whole.length - 100));
    const { err } = await command(['check', broken], { watched: true, clock: ticking(1000) });
    expect(err).toContain('\r\u001b[Kpayment-notifications: ');
  });

  test('is cut to the width of the terminal, whose last column stays free', async () => {
    const given = { watched: true, clock: ticking(1000), columns: 20 };
    const { err } = await command(['check'], { stdin: lines, ...given });
    const told = err.split('\r\u001b[K').slice(1, -1);
    expect(told.length).toBeGreaterThan(5);
    for (const line of told) expect(line).toMatch(/^.{18}…$/);
  });

  test('of standard input knows no end', async () => {
    const { err } = await command(['check'], { stdin: lines, watched: true, clock: ticking(1000) });
    expect(err.split('\r\u001b[K').at(-2)).toMatch(/^ [\d.]+ MB, \d+ bodies a second$/);
  });

  test('is told five times a second at most, and nowhere else', async () => {
    const often = await command(['check'], { stdin: lines, watched: true, clock: ticking(150) });
    const parts = Math.ceil(lines.length / (256 * 1024));
    expect(often.err.split('\r\u001b[K').length - 2).toBe(Math.floor(parts / 2));
    const quick = await command(['check'], { stdin: lines, watched: true });
    expect(quick.err).toBe('');
    expect((await command(['check'], { stdin: lines, clock: ticking(1000) })).err).toBe('');
  });
});

describe('Ctrl-C', () => {
  test('lets the whole lines count that were read', async () => {
    const controller = new AbortController();
    const input = Readable.from(
      (async function* () {
        yield Buffer.from(`${depositOf(1)}\n${depositOf(2)}\n`);
        yield Buffer.from('{"depos');
        controller.abort();
      })(),
    );
    const { exit, out } = await command(['check'], { input, interrupt: controller.signal });
    expect(exit).toBe(130);
    expect(out).toMatch(/^Interrupted: standard input: 2 lines/);
    expect(out).toContain(' 2  valid\n');
  });

  test('ends it with what was found so far', async () => {
    const controller = new AbortController();
    const input = new Readable({
      read() {
        this.push(`${depositOf(1)}\n`.repeat(1000));
        if (!this.readableFlowing) controller.abort();
      },
    });
    const { exit, out } = await command(['check'], { input, interrupt: controller.signal });
    expect(exit).toBe(130);
    expect(out).toMatch(/^Interrupted: standard input: [\d,]+ lines/);
  });
});
