import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { inspectBody } from 'payment-notifications/inspect';
import { depositReceivedBody } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { fixture, fixtures } from '../../fixtures/index.js';
import { read } from '../../inspector/reading.js';
import { createReading } from '../../src/cli/read-bodies.js';
import { MARKS, type Terminal, widthOf, wrap } from '../../src/cli/terminal.js';
import { createTotals } from '../../src/cli/totals.js';
import { judgeBody } from '../../src/inspect/judgement.js';
import { OUTCOMES } from '../inspect/outcomes.js';
import { deposit, withdrawal } from '../sample-bodies.js';
import { command, linesOf, temporaryFolder } from './terminal.js';

const { folder, write } = temporaryFolder();

/** The cells of each line of a report. */
const rowsOf = (out: string) => linesOf(out).map((line) => line.trim().split(/ {2,}/));
/** The lines that begin with a mark. */
const marksOf = (out: string) => linesOf(out).filter((line) => /^[✓!✗]/.test(line));

/** One folder with a file for each body. */
function folderOf(name: string, bodies: Readonly<Record<string, string>>): string {
  mkdirSync(join(folder, name));
  for (const [file, body] of Object.entries(bodies)) writeFileSync(join(folder, name, file), body);
  return join(folder, name);
}

test('a body has one judgement: alone, in a list, as JSON, on the page, and by inspectBody', async () => {
  const bodies = [
    ...fixtures.map(({ body, endpoint }) => [body.toString(), endpoint] as const),
    ...OUTCOMES.map(([, body]) => [body, 'either'] as const),
  ];
  for (const [stdin, endpoint] of bodies) {
    const as = endpoint === 'either' ? [] : ['--as', endpoint];
    const types = { deposit: 'deposit.received', withdrawal: 'withdrawal.broadcast' } as const;
    const { outcome } = inspectBody(stdin, {
      as: endpoint === 'either' ? undefined : types[endpoint],
    });
    const [, mark] = MARKS[outcome];
    const alone = await command(['inspect', ...as], { stdin });
    expect(alone.out.charAt(0), stdin).toBe(mark);
    expect(alone.exit).toBe(outcome === 'bad' ? 1 : 0);
    const json = await command(['inspect', '--json', ...as], { stdin });
    expect(JSON.parse(`${linesOf(json.out)[0]}`).outcome).toBe(outcome);
    // The page takes no endpoint, and has no body to show of empty or other text.
    const page = endpoint === 'either' ? read(stdin) : null;
    const shown = page?.kind === 'bodies' ? page.bodies.map((one) => one.outcome) : ['bad'];
    if (page !== null) expect(shown, stdin).toStrictEqual([outcome]);
    const file = write(
      'other.json',
      deposit({ depositId: '"00000000-0000-4000-8000-000000000000"' }),
    );
    const list = await command(['inspect', ...as, '-', file], { stdin });
    expect(list.out.charAt(0)).toBe(mark);
  }
});

describe('one body', () => {
  test('is shown field by field, as it came and as it was understood', async () => {
    const body = deposit({
      actualDepositAmount: '0.123456789012345678',
      settlementRateDepegLossAmount: undefined,
    });
    const { out } = await command(['inspect'], { stdin: body });
    const title = '! standard input: for review, deposit.received\n';
    expect(out.startsWith(`${title}  ${inspectBody(body).summary}\n\n`)).toBe(true);
    expect(rowsOf(out)).toStrictEqual(
      expect.arrayContaining([
        ['actualDepositAmount', '0.123456789012345678'],
        ['└ a plain JSON.parse would read 0.12345678901234568'],
        ['paymentReceivedAt', '1790001260 → 2026-09-21T14:34:20Z'],
        ['displayRateDepegLossAmount', 'null → no value'],
        ['not sent', 'settlementRateDepegLossAmount'],
        ['idempotency key', 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11'],
      ]),
    );
  });

  test('shows an unknown field that looks like an address or an owner as it came', async () => {
    const odd =
      '{"additionalFields":1.0,"address":{"toString":1},"destinationTag":5,"name":{"toString":1}}';
    const { out, exit } = await command(['inspect'], {
      stdin: deposit({ extra: odd, toTxAddress: odd, txAddressOwner: odd }),
    });
    expect(exit).toBe(0);
    expect(rowsOf(out)).toContainEqual(['extra', odd]);
  });

  test('with warnings is shown with each, its address split and its owner taken apart', async () => {
    const stdin = withdrawal({ txAddressOwner: '{"name":"x"}', withdrawFee: '"free"' });
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(0);
    const rows = rowsOf(out);
    expect(rows.slice(0, 6)).toStrictEqual([
      ['! standard input: for review, withdrawal.broadcast'],
      [inspectBody(stdin).summary],
      ['! withdrawFee'],
      ['invalid_amount: expected a decimal number, received a string of length 4'],
      ['! txAddressOwner.category'],
      ['missing_field: expected a string, received nothing'],
    ]);
    const address = 'rExampleXrpAddress111111111111111';
    expect(rows).toStrictEqual(
      expect.arrayContaining([
        ['withdrawFee', '"free" → not read'],
        ['toTxAddress', `"${address}?dt=48291" → address ${address}, destinationTag 48291`],
        ['txAddressOwner', '{"name":"x"} → name x'],
        ['not sent', 'nothing'],
      ]),
    );
  });

  test('that is refused is shown with every fault, its fields, and what it is known by', async () => {
    const stdin = withdrawal({
      ...{ businessId: '"x"', displayCurrency: '""', settlementCurrency: 'null' },
      ...{ expectedDisplayAmount: '1.0', estimatedWithdrawAmount: '"1,5"', toTxAddress: '"r?dt="' },
      ...{ transactionId: undefined, txAddressOwner: undefined },
    });
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(1);
    const rows = rowsOf(out);
    expect(rows.slice(0, 12)).toStrictEqual([
      ['✗ standard input: refused, withdrawal.broadcast'],
      [inspectBody(stdin).summary],
      ['✗ businessId'],
      ['invalid_id: expected a UUID, received a string of length 1'],
      ['✗ estimatedWithdrawAmount'],
      ['invalid_amount: expected a decimal number, received "1,5"'],
      ['✗ displayCurrency'],
      ['wrong_type: expected a non-empty string, received an empty string'],
      ['✗ settlementCurrency'],
      ['missing_field: expected a non-empty string, received null'],
      ['! txAddressOwner'],
      ['missing_field: expected an object with name and category, received nothing'],
    ]);
    expect(rows.slice(-3)).toStrictEqual([
      ['not sent', 'transactionId, txAddressOwner'],
      ['withdrawalId', '3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44'],
      ['clientWithdrawalId', 'payout-7731'],
    ]);
  });

  test('that is no JSON says where its fault is', async () => {
    const { exit, out } = await command(['inspect'], { stdin: 'hello' });
    expect(exit).toBe(1);
    expect(rowsOf(out)).toStrictEqual([
      ['✗ standard input: refused, unknown type'],
      [inspectBody('hello').summary],
      ['✗ body'],
      ['invalid_json: expected a JSON object, received 5 characters that are not JSON'],
      ['in the text: <here>hello'],
    ]);
    expect((await command(['inspect'])).out).not.toContain('in the text');
  });

  test.each([
    ['text', `INFO ${deposit()} in 3 ms`, ['✓ standard input:1, in other text: good'], 0],
    ['JSON, which may be what was sent', `[${deposit()}]`, ['✗ standard input: refused'], 1],
    [
      'JSON of a log',
      JSON.stringify({ body: deposit() }),
      ['✓ standard input:1, in other text: good'],
      0,
    ],
  ])('in other %s is explained', async (_, stdin, titles, code) => {
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(code);
    expect(marksOf(out).map((line) => line.replace(/, (deposit|unknown).*/, ''))).toStrictEqual(
      titles,
    );
    expect(out.includes('idempotency key')).toBe(code === 0);
  });

  test('in an object says so, because only the object in it may have been sent', async () => {
    const { out } = await command(['inspect'], { stdin: `{"level":30,"body":${deposit()}}` });
    expect(linesOf(out)[1]).toBe(
      '  The body is refused: it should have either a depositId or a withdrawalId, but has neither. Its field body looks like a body: if the service sent only that, inspect it alone.',
    );
  });

  test('is not read to the end of what a terminal must not get', async () => {
    const stdin = deposit({ extra: JSON.stringify('\u0000'.repeat(5000)), ['x'.repeat(500)]: '1' });
    const { out } = await command(['inspect'], { stdin, columns: 80 });
    expect(out.length).toBeLessThan(6000);
    expect(out).toMatch(/… \(30,002\s+characters\)/);
  });
});

describe('several bodies', () => {
  const other = deposit({ actualDepositAmount: '1' });
  const bad = deposit({ actualDepositAmount: '-1', status: undefined });
  const bodies = {
    '1.json': deposit(),
    '2.json': withdrawal({ txAddressOwner: undefined }),
    '3.json': bad,
    '4.json': deposit({ networkFeeAmount: '0.10', 'r\u202ek': '1' }),
    '5.ndjson': `INFO\n${withdrawal({ status: '"FAILED"' })}\n${other}\nend\n`,
    '6.json': withdrawal({ txAddressOwner: '{"name":null,"category":"x","country":"y"}' }),
  };
  const path = folderOf('callbacks', bodies);
  const at = (name: string) => join(path, name);
  const summary = (body: string) => inspectBody(body).summary;

  test('have a line each, and totals', async () => {
    const { exit, out, err } = await command(['inspect', path]);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(out.replaceAll(path, 'F')).toBe(`✓ F/1.json  ${summary(bodies['1.json'])}
✓ F/2.json  ${summary(bodies['2.json'])}
✗ F/3.json  ${summary(bad)}
    missing_field: status: expected "CONFIRMED", received nothing
    negative_amount: actualDepositAmount: expected zero or more, received -1
✓ F/4.json  ${summary(deposit())}  (same event as F/1.json)
! F/5.ndjson:2  ${summary(withdrawal({ status: '"FAILED"' }))}  (contradicts F/2.json)
! F/5.ndjson:3  ${summary(other)}  (contradicts F/1.json)
✓ F/6.json  ${summary(bodies['6.json'])}  (same event as F/2.json)

7 bodies in 6 files

         4  good
         2  for review
         1  refused
         2  with warnings, counted above
         2  repeating another body, counted above
         2  lines of other text, first in F/5.ndjson:1

faults and warnings
         1  warning: missing_field txAddressOwner, first in F/2.json
            txAddressOwner: expected an object with name and category, received nothing
         1  refused: missing_field status, first in F/3.json
            status: expected "CONFIRMED", received nothing
         1  refused: negative_amount actualDepositAmount, first in F/3.json
            actualDepositAmount: expected zero or more, received -1
         1  warning: missing_field txAddressOwner.name, first in F/6.json
            txAddressOwner.name: expected a string, received null

unknown fields
         1  networkFeeAmount, first in F/4.json
         1  r\\u202ek, first in F/4.json
         1  txAddressOwner.country, first in F/6.json

contradictions: bodies of one depositId or withdrawalId that differ in amount, currency, order or status
         1  F/5.ndjson:2 contradicts F/2.json
         1  F/5.ndjson:3 contradicts F/1.json
`);
  });

  test('with --quiet are only those refused or for review', async () => {
    const { out } = await command(['inspect', '--quiet', path]);
    expect(marksOf(out).map((line) => line.slice(0, line.indexOf('  ')))).toStrictEqual([
      ...[`✗ ${at('3.json')}`, `! ${at('5.ndjson:2')}`, `! ${at('5.ndjson:3')}`],
    ]);
    expect(out).toContain('7 bodies in 6 files');
  });

  test('are for review if they contradict an earlier one, and nothing else', async () => {
    const stdin = [withdrawal({ status: '"FAILED"' }), withdrawal(), deposit()].join('\n');
    const { out } = await command(['inspect'], { stdin });
    expect(marksOf(out).map((line) => line.charAt(0))).toStrictEqual(['!', '!', '✓']);
    expect(rowsOf(out)).toContainEqual(['2', 'for review']);
  });

  test('with --json are a line of JSON each', async () => {
    const { exit, out } = await command(['inspect', '--json', path]);
    expect(exit).toBe(1);
    const lines = linesOf(out).map((line) => JSON.parse(line));
    expect(lines.map(({ outcome }) => outcome).join()).toBe(
      'good,good,bad,good,review,review,good',
    );
    expect(lines[0]).toStrictEqual({
      place: at('1.json'),
      relation: null,
      ...inspectBody(deposit()),
    });
    expect(lines[5]).toStrictEqual({
      ...{ place: at('5.ndjson:3'), ...inspectBody(other) },
      ...{ outcome: 'review', relation: { kind: 'contradicts', place: at('1.json') } },
    });
    const quiet = await command(['inspect', '--json', '--quiet', path]);
    expect(linesOf(quiet.out)).toHaveLength(3);
  });

  test('that have many faults, names and contradictions are listed up to a limit', async () => {
    const names = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`x${index}`, '1']));
    const more = [1, 2, 3].map((amount) => deposit({ actualDepositAmount: `${amount}` }));
    const stdin = [deposit(names), ...more, '{"depositId":1}'].join('\n');
    const { out } = await command(['inspect'], { stdin });
    expect(out).toContain('    and 6 more\n');
    expect(out).toContain('            and 5 more\n');
    expect(out).toContain('         3  contradict standard input:1, first standard input:2\n');
    // Those of another notification than the expected one are no news.
    const other = await command(['inspect', '--as', 'withdrawal'], { stdin });
    expect(other.out).not.toContain('unknown fields');
  });

  test('that have too many names or events are counted as far as memory goes', () => {
    const totals = createTotals();
    const names = (from: number) =>
      Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`x${from + index}`, '1']));
    for (const from of [0, 4000, 8000]) {
      totals.add(judgeBody(deposit(names(from)), null), 'good', 'x', undefined);
    }
    const terminal = { columns: 80, colors: false, interrupt: new AbortController().signal };
    const report = totals.report(createReading(), terminal as Terminal);
    expect(report).toMatch(/^\n3 bodies in 0 files\n/);
    expect(report).toContain('         3  not compared: there are more than 100,000 events');
    expect(report).toContain('            and 9,980 more\n');
  });

  test('may be none', async () => {
    const empty = folderOf('empty', {});
    const { exit, out } = await command(['inspect', empty]);
    expect(exit).toBe(1);
    expect(out).toBe('0 bodies in 0 files\n\nThere is no body.\n');
  });

  test('in JSON count once, unless they are several', async () => {
    const list = write('list.json', `[${deposit()},${withdrawal()}]`);
    const single = write('single.json', `[${deposit()}]`);
    const { out } = await command(['inspect', list, single]);
    expect(
      marksOf(out)
        .map((line) => line.charAt(0))
        .join(''),
    ).toBe('✓✓✗');
  });
});

describe('on a terminal', () => {
  const bodies = fixtures.filter(({ body }) => body.length < 5000);

  test.each([120, 80, 76, 75, 40])('of %i columns the lines fit', async (columns) => {
    const file = write('narrow.json', deposit({ actualDepositAmount: '-1', status: undefined }));
    for (const { id, body } of bodies) {
      for (const args of [[], ['-', file]]) {
        const { out } = await command(['inspect', ...args], { stdin: body, columns });
        const widths = linesOf(out).map((line) => widthOf(line));
        expect(Math.max(...widths), id).toBeLessThanOrEqual(columns);
      }
    }
  });

  test.each([60, 80, 120])(
    'of %i columns no value or key breaks that has room',
    async (columns) => {
      for (const stdin of [deposit(), withdrawal()]) {
        const { out } = await command(['inspect'], { stdin, columns });
        const { fields, idempotencyKey } = inspectBody(stdin);
        const lines = linesOf(out);
        const room = (text: string) => text.length <= columns - '   '.length;
        for (const value of [
          ...fields.flatMap(({ raw }) => raw.split(' ')),
          `${idempotencyKey}`,
        ].filter(room)) {
          expect(
            lines.some((line) => line.includes(value)),
            value,
          ).toBe(true);
        }
      }
    },
  );

  test('with colors there are colors, and nothing else changes', async () => {
    for (const stdin of [
      fixture('deposit-received/eighteen-decimals').body,
      '{}',
      `${deposit()}\n{}`,
    ]) {
      const plain = await command(['inspect'], { stdin, columns: 80 });
      const coloured = await command(['inspect'], { stdin, columns: 80, colors: true });
      expect(plain.out).not.toContain('\u001b');
      expect(coloured.out).toContain('\u001b[');
      expect(stripVTControlCharacters(coloured.out)).toBe(plain.out);
    }
  });

  test('a body can not write over other lines', async () => {
    const stdin = deposit({
      clientPaymentId: '"a\\u001b[2J\\u202eb\u009b\u007f"',
      '\\u001b[31m\u202e': '"x"',
    });
    for (const args of [
      ['inspect'],
      ['inspect', '--json'],
      ['inspect', '-', write('x.json', '{}')],
    ]) {
      const { out } = await command(args, { stdin });
      expect(out.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    }
  });

  test('Ctrl-C ends the wait for standard input', async () => {
    const controller = new AbortController();
    const input = new Readable({ read: () => controller.abort() });
    const { exit, out } = await command(['inspect'], { input, interrupt: controller.signal });
    expect(exit).toBe(130);
    expect(out).toMatch(/^Interrupted: 0 bodies/);
  });
});

test('columns break sentences between words, and a word without room where it has to', () => {
  expect(wrap('one two three', 7)).toStrictEqual(['one two', 'three']);
  expect(wrap('a very-long-word b', 5)).toStrictEqual(['a', 'very-', 'long-', 'word', 'b']);
  expect(wrap('abc', 0)).toStrictEqual(['a', 'b', 'c']);
  expect(wrap('日本', 3)).toStrictEqual(['日', '本']);
  expect(wrap('', 4)).toStrictEqual(['']);
  expect(wrap('🧾🧾', 2)).toStrictEqual(['🧾', '🧾']);
});

test('a file that can not be read is told of, and the others are inspected', async () => {
  const good = [
    'fixtures/deposit-received/sample.json',
    write('one.json', depositReceivedBody({}, { seed: 1 })),
  ];
  const { exit, out, err } = await command(['inspect', 'none', 'a\nb', ...good]);
  expect(exit).toBe(2);
  expect(linesOf(err)).toStrictEqual([
    "payment-notifications: none: ENOENT: no such file or directory, open 'none'",
    "payment-notifications: a\\u000ab: ENOENT: no such file or directory, open 'a\\u000ab'",
  ]);
  expect(marksOf(out)).toHaveLength(2);
  expect(out).toContain('\nnot read: none\nnot read: a\\u000ab\n');
});
