import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import { safeParseNotification } from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { createTally, type Kind } from '../../src/cli/check-tally.js';
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

/** A body with other fields; those that are undefined are left out. */
const withAll = (body: string, fields: object) =>
  JSON.stringify({ ...JSON.parse(body), ...fields });

describe('an archive of two deposits, a blank line and a fault, in turn', () => {
  const text = `\ufeff${Array.from({ length: 300 }, (_, seed) =>
    [depositOf(seed), withdrawalOf(seed), '', depositOf(seed).slice(0, -9), ''].join('\r\n'),
  ).join('')}`;
  const middle = text.indexOf('\n', text.length / 2) + 1;
  const zipped = Buffer.concat(
    [text.slice(0, middle), text.slice(middle)].map((part) => gzipSync(part)),
  );

  test.each<[string, Buffer, size: number]>([
    ['plain', Buffer.from(text), 65_536],
    ['plain, in small pieces', Buffer.from(text), 100],
    ['gzip of two members', zipped, 65_536],
    ['gzip, in small pieces', zipped, 100],
  ])('as %s is counted to its last line', async (_, bytes, size) => {
    // A pipe may begin with a single byte.
    const pieces = [bytes.subarray(0, 1)];
    for (let start = 1; start < bytes.length; start += size) {
      pieces.push(bytes.subarray(start, start + size));
    }
    const { exit, err, out } = await command(['check', '--json'], { input: Readable.from(pieces) });
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      bytes: bytes.length,
      counts: { bodies: 900, blank: 300, valid: 600, warnings: 0, refused: 300 },
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
      counts: { bodies: 10, blank: 2, valid: 2, warnings: 1, refused: 7 },
      hint: expect.stringContaining('Most of these are not bodies.'),
      unknownFields: [],
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

  const MOST =
    'Most of these are not bodies. check reads one body from a file, or one from each line.';
  test.each([
    ['a log', '{"level":30,"msg":"received"}\n{"level":30,"msg":"settled"}', 'neither'],
    ['a table', `id,body\n1,x\n2,y\n${depositOf(1)}`, '7 characters that are not JSON'],
    ['a list', `[${depositOf(1)},${depositOf(2)}]`, 'an array'],
    ['one body on several lines', JSON.stringify(JSON.parse(depositOf(1)), null, 2), 'JSON'],
  ])('that is %s is explained, with the first message of each kind', async (_, stdin, received) => {
    const { exit, out } = await command(['check'], { stdin });
    expect(exit).toBe(1);
    expect(out).toContain(`\n${MOST}\n`);
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
    expect(out).toBe(`standard input: 7 bodies, ${size} kB in 500ms

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

describe('the fields that this version does not know', () => {
  test('are counted, the most frequent first, with the place of the first', async () => {
    const owner = { name: 'x', category: 'y', country: 'z', 'r\u202ek': 1 };
    const { exit, unknownFields } = await checked([
      depositOf(1),
      withAll(depositOf(2), { networkFeeAmount: 0.1, memoText: null }),
      withAll(depositOf(3), { networkFeeAmount: 0.2, rateType: 'unlisted', txAddressOwner: owner }),
      withAll(withdrawalOf(4), { networkFeeAmount: 0.3, txAddressOwner: owner }),
      withAll(withdrawalOf(5), { deducedSettlementAmount: 1, txAddressOwner: 'unreadable' }),
      // The name of an amount has changed.
      withAll(depositOf(6), { settlementAmount: undefined, settledAmount: 1 }),
      withAll(withdrawalOf(7), { withdrawalId: 'x', txAddressOwner: owner }),
      ...['{"neither":1}', '[]', 'junk', `{"${'x'.repeat(70_000)}":1}`],
      withAll(depositOf(8), { ['long'.repeat(100)]: 1, 'evil\n\u001b[2J': 1 }),
    ]);
    const first = (line: number) => `standard input:${line}`;
    expect({ exit, unknownFields }).toStrictEqual({
      exit: 1,
      unknownFields: [
        { name: 'networkFeeAmount', count: 3, first: first(2) },
        { name: 'txAddressOwner.country', count: 2, first: first(4) },
        { name: 'txAddressOwner.r\\u202ek', count: 2, first: first(4) },
        { name: 'memoText', count: 1, first: first(2) },
        { name: 'txAddressOwner', count: 1, first: first(3) },
        { name: 'settledAmount', count: 1, first: first(6) },
        { name: `${'long'.repeat(10)}…`, count: 1, first: first(12) },
        { name: 'evil\\u000a\\u001b[2J', count: 1, first: first(12) },
      ],
    });
  });

  test('are at most 20, stand below faults and warnings, and are no fault', async () => {
    const names = Array.from({ length: 25 }, (_, index) => [`field${index}`, index]);
    const stdin = [
      withAll(depositOf(1), Object.fromEntries(names)),
      withAll(depositOf(2, { rateType: null }), { field24: 1, status: 'CONFIRMED' }),
    ].join('\n');
    const { exit, out } = await command(['check'], { stdin, columns: 60 });
    expect(exit).toBe(0);
    const [, listed = ''] = out.split('\nunknown fields\n');
    const lines = linesOf(listed);
    expect(lines).toHaveLength(20);
    expect(lines.slice(0, 2)).toStrictEqual([
      '         2  field24, first in standard input:1',
      '         1  field0, first in standard input:1',
    ]);
    expect((await command(['check'], { stdin: depositOf(1) })).out).not.toContain('unknown');
  });

  test('may be without number, and take no more memory than 10,000', async () => {
    const lines = Array.from({ length: 300 }, (_, seed) =>
      withAll(
        depositOf(seed),
        Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`id${seed}-${index}`, 1])),
      ),
    );
    const parse = safeParseNotification;
    const tally = createTally(parse, 0);
    for (const line of [...lines, ...lines]) tally.add({ label: 'x', body: Buffer.from(line) });
    expect(tally.unknownFields.size).toBe(10_000);
    expect(tally.unknownFields.get('id0-0')?.count).toBe(2);
  });
});

describe('a folder', () => {
  const pretty = JSON.stringify(JSON.parse(depositOf(1)), null, 2);
  const files = {
    '1.json': `\ufeff${pretty.replaceAll('\n', '\r\n')}\n`,
    '2.json': depositOf(2),
    '3.json': `${pretty.slice(0, -99)}\n`,
    '4.json': gzipSync(depositOf(3)),
    '5.json': '\n \n',
    '6.ndjson': `${depositOf(4)}\n\n${depositOf(5)}\n`,
    '7.json': `${depositOf(6)}\njunk\n${depositOf(7)}`,
    '8.ndjson.gz': gzipSync(`${depositOf(8)}\n${depositOf(9)}`),
    '9.txt': pretty,
    '.hidden.json': '{}',
  };
  const bodies = join(folder, 'bodies');
  mkdirSync(join(bodies, 'within'), { recursive: true });
  for (const [name, body] of Object.entries(files)) archive(join('bodies', name), body);

  test('is read file by file: one body, which may span lines, or one a line', async () => {
    const refused = join(folder, 'refused-of-folder.ndjson');
    const { exit, err, out } = await command(['check', '--json', '--refused', refused, bodies]);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    const { kinds, ...rest } = JSON.parse(out);
    const sizes = Object.entries(files).filter(([name]) => name !== '.hidden.json');
    expect(rest).toMatchObject({
      files: [bodies],
      bytes: sizes.reduce((sum, [, body]) => sum + Buffer.byteLength(body), 0),
      counts: { bodies: 12, blank: 3, valid: 9, refused: 3 },
    });
    expect(kinds).toHaveLength(1);
    expect(kinds[0]).toMatchObject({ code: 'invalid_json', first: join(bodies, '3.json') });
    // One line each, so that send --lines can post them.
    const lines = readFileSync(refused).toString('latin1').split('\n');
    expect(lines[0]).toBe(`${pretty.slice(0, -99)}\n`.replaceAll('\n', ' '));
    expect(lines.at(-2)).toBe('junk');
  });

  test('may be one of several operands, and its files may be given one by one', async () => {
    const paths = Object.keys(files).map((name) => join(bodies, name));
    const { counts } = JSON.parse((await command(['check', '--json', ...paths])).out);
    expect(counts).toMatchObject({ bodies: 13, blank: 3, valid: 9, refused: 4 });
    const { out } = await command(['check', bodies, join(bodies, '9.txt')]);
    expect(out).toMatch(/^2 files: 13 bodies, /);
  });

  test('without files has no bodies', async () => {
    const { exit, out } = await command(['check', join(bodies, 'within')]);
    expect(exit).toBe(1);
    expect(out).toContain('There are no bodies to check.');
  });

  test('with a file that can not be read has the others checked', async () => {
    const path = join(folder, 'links');
    mkdirSync(path);
    symlinkSync('nowhere', join(path, 'a.json'));
    symlinkSync(join(bodies, '2.json'), join(path, 'b.json'));
    const { exit, out, err } = await command(['check', path]);
    expect(exit).toBe(2);
    expect(err).toMatch(/^payment-notifications: .*a\.json: ENOENT/);
    expect(out).toContain(' 1  valid\n');
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
    expect(JSON.parse(out).counts).toMatchObject({ bodies: 3, valid: 2, refused: 1 });
  });

  test.each([
    ['text', 'junk', 'incorrect header check'],
    ['a zero byte and text', '\0junk', 'data after the end of the gzip stream'],
    ['a member that is cut off', gzipSync('x').subarray(0, 9), 'unexpected end of file'],
  ])(
    'because of %s after a gzip member has what was read before counted',
    async (_, junk, reason) => {
      let resolve = () => {};
      const counted = new Promise<void>((done) => {
        resolve = done;
      });
      const lines = Array.from({ length: 150 }, (_, seed) => `${depositOf(seed)}\n`);
      const input = Readable.from(
        (async function* () {
          yield gzipSync(lines.join(''));
          await counted;
          yield Buffer.from(junk);
        })(),
      );
      // Progress tells when all lines are counted.
      const warn = (text: string) => {
        told += text;
        if (text.includes('150 bodies')) resolve();
      };
      let told = '';
      const given = { input, warn, watched: true, clock: ticking(1000) };
      const { exit, out } = await command(['check', '--json'], given);
      expect(exit).toBe(2);
      expect(told).toContain(`payment-notifications: standard input: ${reason}\n`);
      expect(JSON.parse(out)).toMatchObject({
        unread: ['standard input'],
        counts: { bodies: 150, valid: 150 },
      });
    },
  );

  test('is told of, and the others are checked', async () => {
    const good = archive('good.ndjson', depositOf(1));
    const odd = archive('odd.gz', gzipSync(`${depositOf(2)}\n`).subarray(0, 99));
    const { exit, out, err } = await command(['check', 'none', odd, good]);
    expect(exit).toBe(2);
    expect(linesOf(err)).toStrictEqual([
      "payment-notifications: none: ENOENT: no such file or directory, open 'none'",
      `payment-notifications: ${odd}: unexpected end of file`,
    ]);
    expect(linesOf(out).slice(0, 3)).toStrictEqual([
      expect.stringMatching(/^3 files: 1 body, /),
      ...['none', odd].map((file) => `not fully read: ${file}`),
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
  for (const line of often) expect(line).toMatch(/^[\d,]+ bodies, [\d.,]+ [kM]B$/);
  expect((await told(50)).length).toBeLessThan(often.length / 2);
});

test('Ctrl-C ends it with the whole lines that were read', async () => {
  const controller = new AbortController();
  const whole = `${depositOf(1)}\n${depositOf(2)}\n`;
  const input = inPieces(whole, '{"depos', () => controller.abort());
  const { exit, out } = await command(['check'], { input, interrupt: controller.signal });
  expect(exit).toBe(130);
  expect(out).toMatch(/^Interrupted: standard input: 2 bodies/);
  expect(out).toContain(' 2  valid\n');
});
