import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import { fixture, fixtures } from '../../fixtures/index.js';
import { widthOf, wrap } from '../../src/cli/terminal.js';
import { deposit, withdrawal } from '../sample-bodies.js';
import { command, linesOf } from './terminal.js';

/** The cells of each line of a report. */
const rowsOf = (out: string) => linesOf(out).map((line) => line.trim().split(/ {2,}/));

describe('a body that is inspected', () => {
  test.each(fixtures)('exits as $id must: valid or not', async ({ body, endpoint, expected }) => {
    const as = endpoint === 'either' ? [] : ['--as', endpoint];
    for (const json of [[], ['--json']]) {
      const { exit, err } = await command(['inspect', ...as, ...json], { stdin: body });
      expect({ exit, err }).toStrictEqual({ exit: expected.notification ? 0 : 1, err: '' });
    }
  });

  test('is shown field by field, as it came and as it was understood', async () => {
    const body = deposit({
      actualDepositAmount: '0.123456789012345678',
      settlementRateDepegLossAmount: undefined,
    });
    const { out } = await command(['inspect'], { stdin: body });
    const title = '✓ standard input: valid, deposit.received\n';
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

  test('comes as data with --json, and from several files a line each', async () => {
    const stdin = deposit({ actualDepositAmount: '0.10', expirationTime: undefined });
    const files = ['fixtures/deposit-received/sample.json', 'package.json'];
    const { exit, out } = await command(['inspect', '--json', ...files, '-'], { stdin });
    expect(exit).toBe(1);
    expect(linesOf(out).map((line) => JSON.parse(line))).toStrictEqual([
      ...files.map((file) => ({ file, ...inspectBody(readFileSync(file)) })),
      { file: 'standard input', ...inspectBody(stdin) },
    ]);
  });

  test('with warnings is shown with each, its address split and its owner taken apart', async () => {
    const stdin = withdrawal({ txAddressOwner: '{"name":"x"}', withdrawFee: '"free"' });
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(0);
    const rows = rowsOf(out);
    expect(rows.slice(0, 6)).toStrictEqual([
      ['! standard input: valid, withdrawal.broadcast'],
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
});

describe('a body that is refused', () => {
  test('is shown with every fault, its fields, and what it is known by', async () => {
    const stdin = withdrawal({
      businessId: '"x"',
      displayCurrency: '""',
      settlementCurrency: 'null',
      expectedDisplayAmount: '1.0',
      estimatedWithdrawAmount: '"1,5"',
      toTxAddress: '"r?dt="',
      transactionId: undefined,
      txAddressOwner: undefined,
    });
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(1);
    // One report.
    expect(out.match(/^✗/gm)).toHaveLength(1);
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
    expect(rows).toStrictEqual(
      expect.arrayContaining([
        ['status', '"COMPLETED"'],
        ['businessId', '"x" → not read'],
        ['└ an empty string counts as no value'],
        ['settlementCurrency', 'null → no value'],
        ['expectedDisplayAmount', '1.0 → 1'],
        ['toTxAddress', '"r?dt=" → address r'],
        ['└ an empty tag counts as no tag'],
      ]),
    );
    expect(rows.slice(-3)).toStrictEqual([
      ['not sent', 'transactionId, txAddressOwner'],
      ['withdrawalId', '3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44'],
      ['clientWithdrawalId', 'payout-7731'],
    ]);
  });

  test('that is no JSON says so of the body', async () => {
    const { exit, out } = await command(['inspect'], { stdin: 'hello' });
    expect(exit).toBe(1);
    expect(rowsOf(out)).toStrictEqual([
      ['✗ standard input: refused, unknown type'],
      [inspectBody('hello').summary],
      ['✗ body'],
      ['invalid_json: expected a JSON object, received 5 characters that are not JSON'],
      ['not JSON at line 1, column 1: <here>hello'],
    ]);
  });
});

describe('text that contains bodies', () => {
  const escaped = JSON.stringify({ body: deposit() });
  const text = `INFO received\n${escaped}\nINFO ${withdrawal({ businessId: '"x"' })}`;

  test('is told of in a line, and each body is shown', async () => {
    const { exit, out } = await command(['inspect'], { stdin: text });
    expect(exit).toBe(1);
    expect(linesOf(out).filter((line) => /^[✓!✗]/.test(line))).toStrictEqual([
      '! standard input: has other text around the bodies below. As one body, it is refused.',
      '✓ standard input, escaped in line 2: valid, deposit.received',
      '✗ standard input, in line 3: refused, withdrawal.broadcast',
    ]);
    expect(out).toContain('Order order-10042: 0.01523 BTC arrived');
  });

  test('relates its bodies: those that contradict each other or have other statuses are for review', async () => {
    const [failed, more] = [withdrawal({ status: '"FAILED"' }), { actualDepositAmount: '1' }];
    const stdin = `INFO ${deposit()}\n${failed}\n${deposit(more)}\n${withdrawal()}\n`;
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(0);
    expect(linesOf(out).filter((line) => /^[✓!✗]/.test(line))).toStrictEqual([
      '! standard input: has other text around the bodies below. As one body, it is refused.',
      '! standard input, in line 1: valid, deposit.received, contradicts line 3',
      '! standard input, in line 2: valid, withdrawal.broadcast, same withdrawal as line 4, which reports COMPLETED',
      '! standard input, in line 3: valid, deposit.received, contradicts line 1',
      '! standard input, in line 4: valid, withdrawal.broadcast, same withdrawal as line 2, which reports FAILED',
    ]);
  });

  test('shows a broken body of a line, with the place of the fault', async () => {
    const broken = deposit({ actualDepositAmount: '0,02' });
    const stdin = `INFO ${withdrawal()}\nERROR 400 ${broken}\n`;
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(1);
    expect(linesOf(out).filter((line) => /^[✓!✗]/.test(line))).toStrictEqual([
      '! standard input: has other text around the bodies below. As one body, it is refused.',
      '✓ standard input, in line 1: valid, withdrawal.broadcast',
      '✗ standard input, in line 2: refused, unknown type',
    ]);
    const column = broken.indexOf('0,02') + 3;
    expect(out).toContain(`not JSON at line 1, column ${column}: …ualDepositAmount":0,<here>02,`);
  });

  test('exits by its bodies', async () => {
    const { exit, out } = await command(['inspect'], { stdin: `INFO ${deposit()}` });
    expect(exit).toBe(0);
    expect(out).not.toContain('✗');
  });

  test.each([
    ['a list', `[${deposit()}]`],
    ['a JSON string', JSON.stringify(deposit())],
  ])('is a refused body if it is JSON, such as %s', async (_, stdin) => {
    const { exit, out } = await command(['inspect'], { stdin });
    expect(exit).toBe(1);
    expect(linesOf(out).filter((line) => /^[✓!✗]/.test(line))).toStrictEqual([
      '✗ standard input: refused, unknown type',
      expect.stringMatching(/^✓ standard input, .*in line 1: valid, deposit.received$/),
    ]);
  });

  test('is read for its endpoint', async () => {
    const { out } = await command(['inspect', '--as', 'withdrawal'], { stdin: escaped });
    expect(out).toContain('✗ standard input, escaped in line 1: refused, withdrawal.broadcast');
  });

  test('has one line of JSON', async () => {
    const { out } = await command(['inspect', '--json'], { stdin: text });
    expect(JSON.parse(out)).toStrictEqual({ file: 'standard input', ...inspectBody(text) });
  });

  test('is not searched if it is too long', async () => {
    const { out } = await command(['inspect'], { stdin: text.padEnd(65_537) });
    expect(out).not.toContain('in line');
  });
});

describe('on a terminal', () => {
  const bodies = fixtures.filter(({ body }) => body.length < 5000);

  test.each([120, 80, 76, 75, 40])('of %i columns the lines fit', async (columns) => {
    for (const { id, body } of bodies) {
      const { out } = await command(['inspect'], { stdin: body, columns });
      const widths = linesOf(out).map((line) => widthOf(line));
      expect(Math.max(...widths), id).toBeLessThanOrEqual(columns);
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
        const values = fields.flatMap(({ raw }) => raw.split(' ')).filter(room);
        expect(values.length).toBeGreaterThan(15);
        for (const value of [...values, `${idempotencyKey}`].filter(room)) {
          expect(
            lines.some((line) => line.includes(value)),
            value,
          ).toBe(true);
        }
      }
    },
  );

  test('a field with a very long name fits too', async () => {
    const stdin = deposit({ ['x'.repeat(500)]: '1' });
    const { out } = await command(['inspect'], { stdin, columns: 80 });
    expect(linesOf(out).filter((line) => widthOf(line) > 80)).toStrictEqual([]);
    expect(out.replace(/\s/g, '')).toContain('x'.repeat(500));
  });

  test('with colors there are colors, and nothing else changes', async () => {
    for (const stdin of [fixture('deposit-received/eighteen-decimals').body, '{}']) {
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
    for (const args of [['inspect'], ['inspect', '--json']]) {
      const { out } = await command(args, { stdin });
      expect(out.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
      if (args.length > 1) expect(JSON.parse(out).fields).toStrictEqual(inspectBody(stdin).fields);
    }
  });

  test('Ctrl-C ends the wait for standard input', async () => {
    const controller = new AbortController();
    const input = new Readable({ read: () => controller.abort() });
    const { exit } = await command(['inspect'], { input, interrupt: controller.signal });
    expect(exit).toBe(130);
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

describe('a file that can not be read', () => {
  test('is told of, and the others are inspected', async () => {
    const good = ['fixtures/deposit-received/sample.json', 'package.json'];
    const args = ['inspect', '--json', 'none', 'src', 'a\nb', ...good];
    const { exit, out, err } = await command(args);
    expect(exit).toBe(2);
    expect(linesOf(err)).toStrictEqual([
      "payment-notifications: none: ENOENT: no such file or directory, open 'none'",
      'payment-notifications: src: expected a file, received a folder. Pass its files',
      "payment-notifications: a\\u000ab: ENOENT: no such file or directory, open 'a\\u000ab'",
    ]);
    expect(linesOf(out)).toHaveLength(2);
  });
});

describe('an input without an end', () => {
  test('is read up to the limit of a body', async () => {
    let given = 0;
    const input = new Readable({
      read(size) {
        given += size;
        this.push(Buffer.alloc(size, ' '));
      },
    });
    for (const file of ['-', '/dev/zero']) {
      const { exit, out } = await command(['inspect', '--json', file], { input });
      expect(exit).toBe(1);
      expect(JSON.parse(out)).toMatchObject({
        verdict: 'refused',
        issues: [
          {
            expected: 'at most 65536 bytes',
            received: 'more. For an archive, use check; for a log, open inspector.html',
          },
        ],
      });
    }
    expect(given).toBeLessThan(300_000);
  });

  test('may be a body of just the limit', async () => {
    const stdin = deposit().padEnd(65_536);
    const short = expect.not.stringContaining('body_too_large');
    expect(await command(['inspect'], { stdin })).toMatchObject({ exit: 0, out: short });
    expect(await command(['inspect'], { stdin: `${stdin} ` })).toMatchObject({ exit: 1 });
  });
});
