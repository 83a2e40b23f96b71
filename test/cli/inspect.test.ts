import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import { fixture, fixtures } from '../../fixtures/index.js';
import { type Terminal, widthOf, wrap } from '../../src/cli/terminal.js';
import { createTotals } from '../../src/cli/totals.js';
import { judgeBody } from '../../src/inspect/judgement.js';
import { deposit, withdrawal } from '../sample-bodies.js';
import { command, linesOf, temporaryFolder } from './terminal.js';

const { folder, write } = temporaryFolder();

/** The cells of each line of a report. */
const rowsOf = (out: string) => linesOf(out).map((line) => line.trim().split(/ {2,}/));
/** The lines that begin with a mark. */
const marksOf = (out: string) => linesOf(out).filter((line) => /^[✓!✗]/.test(line));
const summaryOf = (body: string) => inspectBody(body).summary;

/** One folder with a file for each body. */
function folderOf(name: string, bodies: Readonly<Record<string, string>>): string {
  mkdirSync(join(folder, name), { recursive: true });
  for (const [file, body] of Object.entries(bodies)) write(join(name, file), body);
  return join(folder, name);
}

describe('one body', () => {
  const odd = '{"additionalFields":1.0,"address":{"toString":1},"tag":5,"name":{"toString":1}}';
  const broken = withdrawal({
    ...{ businessId: '"x"', displayCurrency: '""', settlementCurrency: 'null' },
    ...{ estimatedWithdrawAmount: '"1,5"', toTxAddress: '"r?dt="' },
    ...{ transactionId: undefined, txAddressOwner: undefined },
  });

  test.each<[what: string, body: string, title: string, exit: number, rows: string[][]]>([
    [
      'field by field, as it came and as it was read',
      deposit({ actualDepositAmount: '0.123456789012345678', rateType: undefined }),
      '! standard input: check, deposit.received',
      0,
      [
        ['actualDepositAmount', '0.123456789012345678'],
        ['└ a plain JSON.parse would read 0.12345678901234568'],
        ['paymentReceivedAt', '1790001260 → 2026-09-21 14:34:20 UTC'],
        ['displayRateDepegLossAmount', 'null → no value'],
        ['not sent', 'rateType'],
        ['idempotency key', 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11'],
      ],
    ],
    [
      'with an unknown field, unchanged',
      deposit({ extra: odd }),
      '✓ standard input: good, deposit.received',
      0,
      [['extra', odd]],
    ],
    [
      'with its warnings, its address and its owner',
      withdrawal({ txAddressOwner: '{"name":"x"}', withdrawFee: '"free"' }),
      '! standard input: check, withdrawal.broadcast',
      0,
      [
        ['! withdrawFee'],
        ['invalid_amount: expected a decimal number, received a string of length 4'],
        ['! txAddressOwner.category'],
        ['missing_field: expected a string, received nothing'],
        ['withdrawFee', '"free" → not read'],
        [
          'toTxAddress',
          '"rExampleXrpAddress111111111111111?dt=48291" → address rExampleXrpAddress111111111111111, tag 48291',
        ],
        ['txAddressOwner', '{"name":"x"} → name x'],
      ],
    ],
    [
      'that is refused, with every fault, and what it is known by',
      broken,
      '✗ standard input: refused, withdrawal.broadcast',
      1,
      [
        ['✗ businessId'],
        ['invalid_id: expected a UUID, received a string of length 1'],
        ['✗ estimatedWithdrawAmount'],
        ['invalid_amount: expected a decimal number, received "1,5"'],
        ['✗ displayCurrency'],
        ['✗ settlementCurrency'],
        ['! txAddressOwner'],
        ['not sent', 'txAddressOwner, transactionId'],
        ['withdrawalId', '3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44'],
        ['clientWithdrawalId', 'payout-7731'],
      ],
    ],
    [
      'that is no JSON, with the line of its fault',
      '{\n  "amount": 0,5\n}',
      '✗ standard input: refused, unknown type',
      1,
      [['✗ body'], ['line 2:', '"amount": 0,<here>5']],
    ],
    ['that is empty', '', '✗ standard input: refused, unknown type', 1, [['✗ body']]],
  ])('is explained: %s', async (_, stdin, title, code, rows) => {
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(code);
    expect(out.startsWith(`${title}\n  ${summaryOf(stdin)}\n\n`)).toBe(true);
    expect(rowsOf(out)).toStrictEqual(expect.arrayContaining(rows));
    expect(out.includes('<here>')).toBe(stdin.includes('0,5'));
  });

  test.each([
    ['a\u001b reason\n', ': a\\u001b reason'],
    [null, ''],
  ])('of a store says first since when it waits, and the reason %j', async (reason, shown) => {
    const name = `refused.${'0'.repeat(16)}`;
    const path = folderOf(`store${shown.length}`, {
      [`${name}.json`]: deposit(),
      ...(reason !== null && { [`${name}.txt`]: reason }),
    });
    const file = join(path, `${name}.json`);
    utimesSync(file, 0, 0);
    expect(linesOf((await command(['inspect', file])).out).slice(0, 3)).toStrictEqual([
      `! ${file}: check, deposit.received`,
      `  Saved 1970-01-01 00:00:00 UTC${shown}`,
      `  ${summaryOf(deposit())}`,
    ]);
  });

  test.each([
    ['deposit', 0, 1],
    ['withdrawal', 1, 0],
  ])('is judged as an endpoint for one notification does, with --as %s', async (as, ...exits) => {
    for (const [index, stdin] of [deposit(), withdrawal()].entries()) {
      expect((await command(['inspect', '--as', as], { stdin })).exit).toBe(exits[index]);
    }
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
  const refused = deposit({ actualDepositAmount: '-1', status: undefined });
  const failed = withdrawal({ status: '"FAILED"' });
  const bodies = {
    '1.json': deposit(),
    '2.json': withdrawal({ txAddressOwner: undefined }),
    '3.json': refused,
    '4.json': deposit({ networkFeeAmount: '0.10', 'r\u202ek': '1' }),
    '5.ndjson': `${failed}\n${other}\n`,
    '6.json': withdrawal({ txAddressOwner: '{"name":null,"category":"x","country":"y"}' }),
    '7.json': `${deposit()}\n${deposit()}`,
  };
  const path = folderOf('callbacks', bodies);
  const at = (name: string) => join(path, name);

  test('have a line each, and totals', async () => {
    const { exit, out, err } = await command(['inspect', path]);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(out.replaceAll(path, 'F')).toBe(`✓ F/1.json  ${summaryOf(bodies['1.json'])}
✓ F/2.json  ${summaryOf(bodies['2.json'])}
✗ F/3.json  ${summaryOf(refused)}
    missing_field: status: expected "CONFIRMED", received nothing
    negative_amount: actualDepositAmount: expected zero or more, received -1
✓ F/4.json  ${summaryOf(deposit())}
! F/5.ndjson:1  ${summaryOf(failed)}
! F/5.ndjson:2  ${summaryOf(other)}
✓ F/6.json  ${summaryOf(bodies['6.json'])}
✗ F/7.json  ${summaryOf(bodies['7.json'])}

8 bodies in 7 files

         4  good
         2  to check
         2  refused

reasons
         1  warning: missing_field txAddressOwner, first in F/2.json
            txAddressOwner: expected an object with name and category, received nothing
         1  refused: missing_field status, first in F/3.json
            status: expected "CONFIRMED", received nothing
         1  refused: negative_amount actualDepositAmount, first in F/3.json
            actualDepositAmount: expected zero or more, received -1
         1  check: FAILED or BLOCKED, first in F/5.ndjson:1
         1  check: more or fewer coins than expected, first in F/5.ndjson:2
         1  warning: missing_field txAddressOwner.name, first in F/6.json
            txAddressOwner.name: expected a string, received null
         1  refused: invalid_json JSON with an error at line … column …, first in F/7.json
            body: expected a JSON object, received JSON with an error at line 2, column 1

unknown fields
         1  networkFeeAmount, first in F/4.json
         1  r\\u202ek, first in F/4.json
         1  txAddressOwner.country, first in F/6.json
`);
  });

  test('with --quiet are only those to check or refused', async () => {
    const { out } = await command(['inspect', '--quiet', path]);
    const places = marksOf(out).map((line) => line.split('  ')[0]?.replace(`${path}/`, ''));
    expect(places).toStrictEqual(['✗ 3.json', '! 5.ndjson:1', '! 5.ndjson:2', '✗ 7.json']);
    expect(out).toContain('8 bodies in 7 files');
    const json = await command(['inspect', '--json', '--quiet', path]);
    expect(linesOf(json.out)).toHaveLength(4);
  });

  test('with --json are a line of JSON each', async () => {
    const { exit, out } = await command(['inspect', '--json', path]);
    const lines = linesOf(out).map((line) => JSON.parse(line));
    expect({ exit, length: lines.length }).toStrictEqual({ exit: 1, length: 8 });
    const saved = { since: null, reason: null };
    expect(lines[0]).toStrictEqual({ place: at('1.json'), ...saved, ...inspectBody(deposit()) });
  });

  test('of a store have the reasons first, which are counted without what differs', async () => {
    const now = Date.parse('2026-09-21T14:34:20Z');
    const reasons = [
      'a field is missing [depositId 0b0f]',
      'unknown order order-1',
      'a field is missing [depositId 3d6c]',
      'no connection to 10.0.0.1',
    ];
    const store = folderOf('webhooks', {});
    for (const name of ['retry', 'review']) folderOf(`webhooks/${name}`, {});
    const bodies = reasons.map((reason, index) => {
      const name = `${index === 3 ? 'retry' : 'review'}/x.${String(index).repeat(16)}`;
      write(`webhooks/${name}.txt`, `${reason}\n`);
      const file = write(`webhooks/${name}.json`, index === 2 ? '{}' : deposit());
      utimesSync(file, now / 1000, now / 1000 - index);
      return `S/${name}.json  2026-09-21 14:34:${20 - index} UTC: ${reason}  `;
    });
    const { exit, out } = await command(['inspect', '--quiet', store]);
    expect(exit).toBe(1);
    expect(out.replaceAll(store, 'S')).toBe(`! ${bodies[3]}${summaryOf(deposit())}
! ${bodies[0]}${summaryOf(deposit())}
! ${bodies[1]}${summaryOf(deposit())}
✗ ${bodies[2]}${summaryOf('{}')}

4 bodies in 4 files

         3  to check
         1  refused

reasons
         2  review: a field is missing
            the oldest since 2026-09-21 14:34:18 UTC
         1  retry: no connection to …
            the oldest since 2026-09-21 14:34:17 UTC
         1  review: unknown order …
            the oldest since 2026-09-21 14:34:19 UTC

The receiver tries those in retry again. Those in review wait for someone: docs/runbook.md says what to do for each reason.
`);
    const json = await command(['inspect', '--json', store]);
    expect(JSON.parse(`${linesOf(json.out)[0]}`)).toMatchObject({
      outcome: 'check',
      ...{ since: '2026-09-21T14:34:17.000Z', reason: 'no connection to 10.0.0.1' },
    });
  });

  test('that have many faults and names are listed up to a limit', async () => {
    const names = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`x${index}`, '1']));
    const stdin = [deposit(names), '{"depositId":1}'].join('\n');
    const { out } = await command(['inspect'], { stdin });
    expect(out).toContain('    and 6 more\n');
    expect(out).toContain('            and 5 more\n');
    // Those of another notification than the expected one are no news.
    const other = await command(['inspect', '--as', 'withdrawal'], { stdin });
    expect(other.out).not.toContain('unknown fields');
  });

  test('that have too many names are counted as far as memory goes', () => {
    const totals = createTotals();
    const names = (from: number) =>
      Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`x${from + index}`, '1']));
    for (const from of [0, 4000, 8000]) {
      totals.add(judgeBody(deposit(names(from)), null), 'good', { place: 'x', saved: null });
    }
    const terminal = { columns: 80, colors: false, interrupt: new AbortController().signal };
    const report = totals.report({ files: 0, unread: 0 }, terminal as Terminal);
    expect(report).toMatch(/^\n3 bodies in 0 files\n/);
    expect(report).toContain('            and 9,980 more\n');
  });

  test('may be none', async () => {
    const { exit, out } = await command(['inspect', folderOf('empty', {})]);
    expect({ exit, out }).toStrictEqual({
      exit: 1,
      out: '0 bodies in 0 files\n\nThere is no body.\n',
    });
  });

  test('are counted with the files that can not be read', async () => {
    const files = ['none', at('1.json'), at('2.json')];
    const { exit, out } = await command(['inspect', ...files]);
    expect(exit).toBe(2);
    expect(out).toContain('\n2 bodies in 2 files, 1 not read\n');
    expect(await command(['inspect', 'none'])).toMatchObject({ exit: 2, out: '' });
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
    const exact = fixture('deposit-received/eighteen-decimals').body;
    for (const stdin of [exact, '{}', `${deposit()}\n{}`]) {
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
