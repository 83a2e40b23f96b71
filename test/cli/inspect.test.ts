import { Readable } from 'node:stream';
import { idempotencyKey, parseNotification } from 'payment-notifications';
import { describe, expect, test, vi } from 'vitest';
import { fold, widthOf, wrap } from '../../src/cli/terminal.js';
import { fixture, fixtures } from '../fixtures.js';
import { deposit, withdrawal } from '../wire.js';
import { command, linesOf } from './terminal.js';

/** What `inspect --json` says of a body. */
async function inspected(stdin: string | Buffer) {
  const { exit, out } = await command(['inspect', '--json'], { stdin });
  return { exit, ...JSON.parse(out) };
}

/** The quirks that are named of one field. */
async function quirksOf(body: string | Buffer, name: string): Promise<string[]> {
  const { fields } = await inspected(body);
  const field = fields.find((candidate: { name: string }) => candidate.name === name);
  return field.quirks.map(({ code, message }: { code: string; message: string }) =>
    [code, message].join(': '),
  );
}

describe('a body that is inspected', () => {
  test.each(fixtures)('exits as $name must: valid or not', async ({ body, expected }) => {
    const word = expected.parser === 'parseDepositReceived' ? 'deposit' : 'withdrawal';
    const as = expected.parser === 'parseNotification' ? [] : ['--as', word];
    for (const json of [[], ['--json']]) {
      const { exit, err } = await command(['inspect', ...as, ...json], {
        stdin: body,
        columns: 80,
      });
      expect({ exit, err }).toStrictEqual({ exit: expected.notification ? 0 : 1, err: '' });
    }
  });

  test('is shown field by field, as it came and as it was understood', async () => {
    const body = deposit({
      actualDepositAmount: '0.123456789012345678',
      network: 'null',
      fromAddress: undefined,
    });
    const { out } = await command(['inspect'], { stdin: body });
    const rows = linesOf(out).map((line) => line.trim().split(/ {2,}/));
    expect(out.startsWith('✓ standard input: valid, deposit.received\n')).toBe(true);
    expect(rows).toContainEqual([
      'actualDepositAmount',
      '0.123456789012345678',
      '0.123456789012345678',
    ]);
    expect(rows).toContainEqual(['└ a plain JSON.parse would read 0.12345678901234568']);
    expect(rows).toContainEqual(['depositCurrency', '"BTC"', 'as sent']);
    expect(rows).toContainEqual(['paymentReceivedAt', '1790001260', '2026-09-21T14:34:20Z']);
    expect(rows).toContainEqual(['network', 'null', 'no value']);
    expect(rows).toContainEqual(['not sent', 'fromAddress']);
    expect(rows).toContainEqual([
      'idempotency key',
      'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11',
    ]);
  });

  test('has its address split and its owner taken apart', async () => {
    const stdin = fixture('withdrawal-broadcast/tag-with-leading-zeros').body;
    const { out } = await command(['inspect'], { stdin });
    const rows = linesOf(out).map((line) => line.trim().split(/ {2,}/));
    expect(rows).toContainEqual([
      'toTxAddress',
      '"rExampleXrpAddress111111111111111?dt=00482"',
      'rExampleXrpAddress111111111111111',
    ]);
    expect(rows).toContainEqual(['tag 00482']);
    expect(rows).toContainEqual(['category exchange']);
    expect(rows).toContainEqual(['not sent', 'nothing']);
    const tagless = withdrawal({ toTxAddress: '"rX"' });
    expect((await command(['inspect'], { stdin: tagless })).out).toContain('no tag');
  });

  test('comes as data with --json', async () => {
    const body = deposit({ actualDepositAmount: '0.10', expirationTime: undefined });
    const { fields, ...rest } = await inspected(body);
    expect(rest).toStrictEqual({
      exit: 0,
      file: 'standard input',
      valid: true,
      type: 'deposit.received',
      idempotencyKey: idempotencyKey(parseNotification(body)),
      absent: ['expirationTime'],
    });
    expect(fields).toHaveLength(26);
    expect(fields[0]).toStrictEqual({
      name: 'actualDepositAmount',
      came: '0.10',
      understood: '0.1',
      quirks: [],
    });
  });

  test('may be in files, several of which are told apart', async () => {
    const files = ['deposit-received/sample', 'invalid/amount-empty'].map(
      (name) => `fixtures/${name}.json`,
    );
    const { exit, out } = await command(['inspect', '--json', ...files, '-'], { stdin: deposit() });
    expect(exit).toBe(1);
    expect(linesOf(out).map((line) => JSON.parse(line))).toMatchObject([
      { file: files[0], valid: true },
      { file: files[1], valid: false, error: { issues: [{ code: 'invalid_amount' }] } },
      { file: 'standard input', valid: true },
    ]);
  });

  test('that is nested too deeply to be shown is valid all the same', async () => {
    const deep = deposit({ extra: `${'['.repeat(20_000)}${']'.repeat(20_000)}` });
    const { exit, out } = await command(['inspect'], { stdin: deep });
    expect(exit).toBe(0);
    expect(out).toContain('nested too deeply to show its fields');
    expect(await inspected(deep)).toMatchObject({ exit: 0, valid: true, fields: null, absent: [] });
  });
});

describe('quirks that are named', () => {
  test.each<[string, string, string, string[]]>([
    [
      'digits that a plain JSON.parse would have lost',
      deposit({ settlementAmount: '100000000000000000000001' }),
      'settlementAmount',
      ['lost_digits: a plain JSON.parse would read 1.0000000000000001e+23'],
    ],
    [
      'a number that JavaScript prints with an exponent',
      deposit({ onChainFee: '0.00000001' }),
      'onChainFee',
      ['exponent: JavaScript prints this number as 1e-8'],
    ],
    [
      'an amount of a deposit as a string',
      deposit({ expectedDepositAmount: '"0.01523"' }),
      'expectedDepositAmount',
      ['encoding: a string, where the sample has a number'],
    ],
    [
      'an amount of a withdrawal as a number',
      withdrawal({ withdrawFee: '0.5' }),
      'withdrawFee',
      ['encoding: a number, where the sample has a string'],
    ],
    [
      "the sample's spelling",
      withdrawal(),
      'deductedSettlementAmount',
      ['spelling: spelled as in the sample; the field table has deducedSettlementAmount'],
    ],
    [
      "the field table's spelling",
      withdrawal({ deductedSettlementAmount: undefined, deducedSettlementAmount: '1.00' }),
      'deducedSettlementAmount',
      [
        'spelling: spelled as in the field table; the sample has deductedSettlementAmount',
        'encoding: a number, where the sample has a string',
      ],
    ],
    [
      'the spelling of a null',
      withdrawal({ deducedSettlementAmount: 'null' }),
      'deducedSettlementAmount',
      ['spelling: spelled as in the field table; the sample has deductedSettlementAmount'],
    ],
    [
      'milliseconds',
      deposit({ expirationTime: '1790003600123' }),
      'expirationTime',
      ['milliseconds: in milliseconds: too large for seconds'],
    ],
    [
      'milliseconds in a string',
      deposit({ expirationTime: '"1790003600123"' }),
      'expirationTime',
      [
        'encoding: a string, where the sample has a number',
        'milliseconds: in milliseconds: too large for seconds',
      ],
    ],
    ['no quirk of the year 1970', deposit({ expirationTime: '0' }), 'expirationTime', []],
    [
      'an identifier in upper case',
      deposit({ depositId: '"0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11"' }),
      'depositId',
      ['upper_case: the idempotency key has it in lower case'],
    ],
    ['no quirk of another text in upper case', deposit(), 'network', []],
    [
      'leading zeros of a tag',
      withdrawal({ toTxAddress: '"rX?dt=007"' }),
      'toTxAddress',
      ['leading_zeros: a tag read as a number would lose its zeros'],
    ],
    [
      'an empty tag',
      withdrawal({ toTxAddress: '"rX?dt="' }),
      'toTxAddress',
      ['empty_tag: an empty tag counts as none'],
    ],
    ['no quirk of an address alone', withdrawal({ toTxAddress: '"rX"' }), 'toTxAddress', []],
    [
      'a field that is not documented',
      deposit({ toTxAddress: '"rX?dt=007"' }),
      'toTxAddress',
      ['additional: not documented: kept in additionalFields'],
    ],
    [
      'a rate type that is not listed',
      deposit({ rateType: '"CAPPED"' }),
      'rateType',
      ['additional: not a listed rate type: rateType is null, the value in additionalFields'],
    ],
    [
      'a field of the owner that is not documented',
      withdrawal({ txAddressOwner: '{"name":"x","category":"y","level":1}' }),
      'txAddressOwner',
      ['additional: not documented: level, kept in its additionalFields'],
    ],
  ])('%s', async (_, body, name, quirks) => {
    expect(await quirksOf(body, name)).toStrictEqual(quirks);
  });

  test('the other spelling is not told to be missing', async () => {
    const one = withdrawal({ deductedSettlementAmount: undefined, deducedSettlementAmount: '"1"' });
    const none = withdrawal({ deductedSettlementAmount: undefined });
    expect((await inspected(withdrawal())).absent).toStrictEqual([]);
    expect((await inspected(one)).absent).toStrictEqual([]);
    expect((await inspected(none)).absent).toStrictEqual(['deductedSettlementAmount']);
  });
});

describe('a body that is refused', () => {
  test('is shown with every fault, its path, and what it is known by', async () => {
    const { exit, out } = await command(['inspect'], {
      stdin: withdrawal({
        estimatedWithdrawAmount: '"1,5"',
        txAddressOwner: '{"name":"x"}',
        transactionId: undefined,
      }),
    });
    expect(exit).toBe(1);
    expect(linesOf(out).map((line) => line.trim())).toStrictEqual([
      '✗ standard input: refused, withdrawal.broadcast, 2 faults',
      'estimatedWithdrawAmount',
      'invalid_amount: expected a decimal number, received "1,5"',
      'txAddressOwner.category',
      'missing_field: expected a string, received nothing',
      'withdrawalId        3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44',
      'clientWithdrawalId  payout-7731',
    ]);
  });

  test('that is no JSON says so of the body', async () => {
    const { exit, out } = await command(['inspect'], { stdin: 'hello' });
    expect(exit).toBe(1);
    expect(linesOf(out).map((line) => line.trim())).toStrictEqual([
      '✗ standard input: refused, neither notification, 1 fault',
      'body',
      'invalid_json: expected a JSON object, received 5 characters that are not JSON',
    ]);
  });

  test('is read as the endpoint that it was sent to would read it', async () => {
    const { out } = await command(['inspect', '--as', 'deposit'], { stdin: withdrawal() });
    expect(out).toContain('are the two callback addresses mixed up?');
  });
});

describe('on a terminal', () => {
  const bodies = fixtures.filter(({ body }) => body.length < 5000);

  test.each([200, 120, 80, 68, 67, 66, 61, 60, 40])(
    'of %i columns the lines fit',
    async (columns) => {
      for (const { name, body } of bodies) {
        const { out } = await command(['inspect'], { stdin: body, columns });
        // The first line names the file, and is left to the terminal.
        const long = out
          .split('\n')
          .slice(1)
          .filter((line) => widthOf(line) > columns);
        expect(long, name).toStrictEqual([]);
      }
    },
  );

  test('a field with a very long name fits too', async () => {
    const stdin = deposit({ ['x'.repeat(500)]: '1' });
    const { out } = await command(['inspect'], { stdin, columns: 80 });
    expect(linesOf(out).filter((line) => widthOf(line) > 80)).toStrictEqual([]);
    expect(out.replace(/\s/g, '')).toContain('x'.repeat(500));
  });

  test('the work for very many names grows with their number, not with its square', async () => {
    const shown = async (count: number, columns: number) => {
      const names = Array.from({ length: count }, (_, index) => `"${index + 10_000}":0`).join(',');
      const stdin = withdrawal({ txAddressOwner: `{"name":"x","category":"y",${names}}` });
      // Whatever is folded or measured is gone through by character.
      const iterator = vi.spyOn(String.prototype, Symbol.iterator);
      const { exit, out } = await command(['inspect'], { stdin, columns });
      const work = iterator.mock.contexts.reduce<number>((sum, text) => sum + `${text}`.length, 0);
      iterator.mockRestore();
      expect(exit).toBe(0);
      expect(out).toContain(`${count + 9_999}, kept in`);
      return work;
    };
    for (const columns of [80, Number.POSITIVE_INFINITY]) {
      const ratio = (await shown(6000, columns)) / (await shown(1500, columns));
      expect(ratio).toBeGreaterThan(2);
      expect(ratio).toBeLessThan(4.5);
    }
  });

  test('of any width nothing is cut off', async () => {
    const stdin = fixture('deposit-received/eighteen-decimals').body;
    for (const columns of [120, 80, 40]) {
      const { out } = await command(['inspect'], { stdin, columns });
      const hash = 'c0ffee254729296a45a3885639ac7e10f9d54979e0f3d1e2b4c5a69788776655';
      expect(out.replace(/\s|as ?sent/g, '')).toContain(hash);
    }
  });

  test('of 80 columns an amount of 18 decimals stays in one piece', async () => {
    const stdin = fixture('deposit-received/eighteen-decimals').body;
    const { out } = await command(['inspect'], { stdin, columns: 80 });
    expect(out.match(/0\.123456789012345678/g)).toHaveLength(2);
  });

  test('with colours there are colours, and nothing else changes', async () => {
    for (const stdin of [fixture('deposit-received/eighteen-decimals').body, '{}']) {
      const plain = await command(['inspect'], { stdin, columns: 80 });
      const coloured = await command(['inspect'], { stdin, columns: 80, colours: true });
      expect(plain.out).not.toContain('\u001b');
      expect(coloured.out).toContain('\u001b[');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what colours are made of
      expect(coloured.out.replace(/\u001b\[\d+m/g, '')).toBe(plain.out);
    }
  });

  test('a body can not write over other lines', async () => {
    const stdin = deposit({
      clientPaymentId: '"a\\u001b[2J\\u202eb"',
      '\\u001b[31m\u202e': '"x"',
    });
    for (const args of [['inspect'], ['inspect', '--json']]) {
      const { out } = await command(args, { stdin });
      expect(out.replaceAll('\n', '')).not.toMatch(args.length === 1 ? /\p{C}/u : /\p{Cc}/u);
    }
  });

  test('Ctrl-C ends the wait for standard input', async () => {
    const controller = new AbortController();
    const input = new Readable({ read: () => controller.abort() });
    const { exit } = await command(['inspect'], { input, interrupt: controller.signal });
    expect(exit).toBe(130);
  });
});

describe('columns', () => {
  test('count what is drawn wide twice, and what combines not at all', () => {
    expect(widthOf('abc')).toBe(3);
    expect(widthOf('日本🎉')).toBe(6);
    expect(widthOf('e\u0301')).toBe(1);
  });

  test('break sentences between words and values anywhere', () => {
    expect(wrap('one two three', 7)).toStrictEqual(['one two', 'three']);
    expect(wrap('a very-long-word b', 5)).toStrictEqual(['a', 'very-', 'long-', 'word', 'b']);
    expect(fold('one two', 4)).toStrictEqual(['one ', 'two']);
    expect(fold('日本', 1)).toStrictEqual(['日', '本']);
    expect(fold('', 4)).toStrictEqual(['']);
  });
});
