import { safeParseNotification } from 'payment-notifications';
import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import {
  DEPOSIT_RECEIVED_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../scripts/schemas/tables.js';
import { SAMPLES } from '../../src/wire/sample.js';
import { deposit, type Wire, withdrawal } from '../wire.js';

/** The field of that name. */
function fieldOf(body: string, name: string) {
  const field = inspectBody(body).fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field;
}

describe('an inspection', () => {
  test('of a valid body holds everything', () => {
    const body =
      '{"status":"CONFIRMED","depositId":"0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11",' +
      '"paymentId":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","clientPaymentId":"\\u0061\\u202e",' +
      '"depositCurrency":"ETH","actualDepositAmount": 0.1234567890123456780,"displayCurrency":"EUR",' +
      '"actualDisplayAmount":1,"settlementCurrency":"EUR","settlementAmount":"1.50",' +
      '"expirationTime":1790003600,"fromAddress":null,"later": { "a" : [ 1.0, "x y", -0 ] } }';
    expect(inspectBody(body)).toStrictEqual({
      verdict: 'valid',
      type: 'deposit.received',
      idempotencyKey: 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11',
      fields: [
        { name: 'status', raw: '"CONFIRMED"', parsed: 'CONFIRMED', quirks: [] },
        {
          name: 'depositId',
          raw: '"0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11"',
          parsed: '0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11',
          quirks: [{ code: 'upper_case', note: 'the idempotency key has it in lower case' }],
        },
        {
          name: 'paymentId',
          raw: '"6f9619ff-8b86-4d01-b42d-00cf4fc964ff"',
          parsed: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
          quirks: [],
        },
        { name: 'clientPaymentId', raw: '"\\u0061\\u202e"', parsed: 'a\u202e', quirks: [] },
        { name: 'depositCurrency', raw: '"ETH"', parsed: 'ETH', quirks: [] },
        {
          name: 'actualDepositAmount',
          raw: '0.1234567890123456780',
          parsed: '0.123456789012345678',
          quirks: [
            { code: 'lost_digits', note: 'a plain JSON.parse would read 0.12345678901234568' },
          ],
        },
        { name: 'displayCurrency', raw: '"EUR"', parsed: 'EUR', quirks: [] },
        { name: 'actualDisplayAmount', raw: '1', parsed: '1', quirks: [] },
        { name: 'settlementCurrency', raw: '"EUR"', parsed: 'EUR', quirks: [] },
        {
          name: 'settlementAmount',
          raw: '"1.50"',
          parsed: '1.5',
          quirks: [{ code: 'encoding', note: 'a string, where the sample has a number' }],
        },
        {
          name: 'expirationTime',
          raw: '1790003600',
          parsed: '2026-09-21T15:13:20.000Z',
          quirks: [],
        },
        { name: 'fromAddress', raw: 'null', parsed: null, quirks: [] },
        {
          name: 'later',
          raw: '{"a":[1.0,"x y",-0]}',
          parsed: { a: [1, 'x y', 0] },
          quirks: [{ code: 'additional', note: 'not documented: kept in additionalFields' }],
        },
      ],
      absent: [
        'depositAddress',
        'displayServiceFee',
        'expectedDepositAmount',
        'expectedDisplayAmount',
        'network',
        'onChainFee',
        'paymentReceivedAt',
        'paymentRequestedAt',
        'rateType',
        'settlementServiceFee',
        'transactionId',
        'displayRateDepegLossAmount',
        'settlementRateDepegLossAmount',
        'settlementDistributedUserServiceFee',
        'displayDistributedUserServiceFee',
      ],
      warnings: [],
      issues: [],
      jsonFault: null,
      reference: {
        depositId: '0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11',
        paymentId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
      },
    });
  });

  test('of a refused body holds what could be read of it', () => {
    const body =
      '{"withdrawalId":"x","toTxAddress":"r?dt=7","status":"FAILED","withdrawFee":"free"}';
    const { fields, absent, warnings, issues, ...rest } = inspectBody(body);
    expect(rest).toStrictEqual({
      verdict: 'refused',
      type: 'withdrawal.broadcast',
      idempotencyKey: null,
      jsonFault: null,
      reference: { withdrawalId: 'x' },
    });
    expect(fields.map(({ name, parsed }) => [name, parsed])).toStrictEqual([
      ['withdrawalId', null],
      ['toTxAddress', { raw: 'r?dt=7', address: 'r', destinationTag: '7' }],
      ['status', 'FAILED'],
      ['withdrawFee', null],
    ]);
    expect(absent).toContain('txAddressOwner');
    expect(warnings.map(({ path }) => path.join('.'))).toStrictEqual([
      'withdrawFee',
      'txAddressOwner',
    ]);
    expect(issues[0]).toMatchObject({ code: 'invalid_id', path: ['withdrawalId'] });
  });

  test('of a body of an unknown notification holds its fields as they came', () => {
    expect(inspectBody('{"a":1.0,"clientPaymentId":"order-1"}')).toStrictEqual({
      verdict: 'refused',
      type: null,
      idempotencyKey: null,
      fields: [
        { name: 'a', raw: '1.0', parsed: null, quirks: [] },
        { name: 'clientPaymentId', raw: '"order-1"', parsed: null, quirks: [] },
      ],
      absent: [],
      warnings: [],
      issues: [
        {
          code: 'unrecognized_notification',
          path: [],
          message: 'body: expected either a depositId or a withdrawalId, received neither',
          expected: 'either a depositId or a withdrawalId',
          received: 'neither',
        },
      ],
      jsonFault: null,
      reference: { clientPaymentId: 'order-1' },
    });
  });

  test('of what is no body has only the issue', () => {
    for (const as of [undefined, 'withdrawal.broadcast'] as const) {
      expect(inspectBody('hello', { as })).toStrictEqual({
        verdict: 'refused',
        type: as ?? null,
        idempotencyKey: null,
        fields: [],
        absent: [],
        warnings: [],
        issues: safeParseNotification('hello').error?.issues,
        jsonFault: { line: 1, column: 1, before: '', after: 'hello' },
        reference: {},
      });
    }
  });

  test('is the same of text and of bytes, with a byte-order mark or without', () => {
    const body = deposit({ network: '"Zürich"' });
    const bytes = new TextEncoder().encode(body);
    const all = [
      body,
      `\uFEFF${body}`,
      bytes,
      new Uint8Array(bytes).buffer,
      Buffer.from(`\uFEFF${body}`),
    ];
    for (const one of all) expect(inspectBody(one)).toStrictEqual(inspectBody(body));
    expect(inspectBody(body).fields).toHaveLength(27);
  });

  test('is made as the endpoint of the notification would', () => {
    const wrong = inspectBody(withdrawal(), { as: 'deposit.received' });
    expect(wrong).toMatchObject({ verdict: 'refused', type: 'deposit.received' });
    expect(wrong.issues[0]?.message).toContain('are the two callback addresses mixed up?');
    expect(wrong.absent).toContain('depositId');
    const right = inspectBody(deposit(), { as: 'deposit.received' });
    expect(right).toStrictEqual(inspectBody(deposit()));
  });

  test('is not made of a parsed body, whose digits are gone', () => {
    const parsed = JSON.parse(deposit());
    expect(() => inspectBody(parsed)).toThrow(
      new TypeError('expected a raw body, received one that is parsed'),
    );
  });

  test.each<[unknown, string]>([
    ['deposit', '"deposit"'],
    ['toString', '"toString"'],
    [null, 'null'],
  ])('is not made as %j, which is no notification', (as, received) => {
    expect(() => inspectBody(deposit(), { as: as as 'deposit.received' })).toThrow(
      new TypeError(`as: expected deposit.received or withdrawal.broadcast, received ${received}`),
    );
  });

  test('keeps fields of every name', () => {
    const names = [
      '__proto__',
      'constructor',
      'type',
      'warnings',
      'additionalFields',
      '',
      'a"b',
      '7',
    ];
    const body = deposit(Object.fromEntries(names.map((name) => [name, '"x"'])));
    const { fields, verdict } = inspectBody(body);
    expect(verdict).toBe('valid');
    for (const name of names) {
      expect(fields, name).toContainEqual({
        name,
        raw: '"x"',
        parsed: 'x',
        quirks: [{ code: 'additional', note: 'not documented: kept in additionalFields' }],
      });
    }
  });

  test('gives each spelling of one amount what was sent under it', () => {
    const both = withdrawal({ deducedSettlementAmount: 'null' });
    expect(fieldOf(both, 'deductedSettlementAmount').parsed).toBe('250.31');
    expect(fieldOf(both, 'deducedSettlementAmount').parsed).toBeNull();
    const conflict = withdrawal({ deducedSettlementAmount: '"free"' });
    expect(fieldOf(conflict, 'deductedSettlementAmount').parsed).toBe('250.31');
    expect(fieldOf(conflict, 'deducedSettlementAmount').parsed).toBeNull();
    const deduced = withdrawal({
      deductedSettlementAmount: undefined,
      deducedSettlementAmount: '"1"',
    });
    expect(fieldOf(deduced, 'deducedSettlementAmount').parsed).toBe('1');
    expect(inspectBody(deduced).absent).toStrictEqual([]);
    expect(inspectBody(withdrawal()).absent).toStrictEqual([]);
    expect(inspectBody(withdrawal({ deductedSettlementAmount: undefined })).absent).toStrictEqual([
      'deductedSettlementAmount',
    ]);
  });
});

test('the samples have the fields of the tables, each in an encoding of its kind', () => {
  const kinds = { number: 'amount', string: 'amount', time: 'timestamp', owner: 'object' } as const;
  const isOfKind = (as: string, kind: string | undefined) =>
    as === 'text'
      ? ['text', 'id', 'enum', 'address'].includes(`${kind}`)
      : kinds[as as 'time'] === kind;
  for (const [sample, table] of [
    [SAMPLES['deposit.received'], DEPOSIT_RECEIVED_FIELDS],
    [SAMPLES['withdrawal.broadcast'], WITHDRAWAL_BROADCAST_FIELDS],
  ] as const) {
    expect(new Set(Object.keys(sample))).toStrictEqual(new Set(Object.keys(table)));
    for (const [name, { as }] of Object.entries(sample)) {
      expect(isOfKind(as, table[name]?.kind), name).toBe(true);
    }
  }
});

describe('quirks that are named', () => {
  const ADDITIONAL = 'additional: not documented: kept in additionalFields';
  const DEEP = 'deeply_nested: nested deeper than 100: only in raw';
  const EMPTY = 'empty_text: an empty string holds no value';
  const AS_NUMBER = 'encoding: a number, where the sample has a string';
  const AS_STRING = 'encoding: a string, where the sample has a number';
  const LOWER_CASE = 'upper_case: the idempotency key has it in lower case';
  const MILLISECONDS = 'milliseconds: in milliseconds: too large for seconds';
  const REPEATED = 'repeated: there more than once: the last one counts';
  const SAMPLE_SPELLING =
    "spelling: spelled as in the documentation's sample body; its field table has deducedSettlementAmount";
  const TABLE_SPELLING =
    "spelling: spelled as in the documentation's field table; its sample body has deductedSettlementAmount";
  const UNREADABLE = 'unreadable: null, and kept as sent in additionalFields';

  const UPPER = '"0B0F1F0E-9D0C-4F9E-8D4A-0C3F6F3B5A11"';
  const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const objects = `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`;
  const owner = (parts: string) => ({ txAddressOwner: `{"name":"x",${parts},"level":1}` });

  function expectQuirks(body: string, name: string, quirks: readonly string[]) {
    expect(fieldOf(body, name).quirks.map(({ code, note }) => `${code}: ${note}`)).toStrictEqual(
      quirks,
    );
  }

  test.each<[string, (fields: Record<string, Wire>) => string, Record<string, Wire>, string[]]>([
    [
      'digits that a plain JSON.parse would have lost',
      deposit,
      { settlementAmount: '100000000000000000000001' },
      ['lost_digits: a plain JSON.parse would read 1.0000000000000001e+23'],
    ],
    [
      'a number that JavaScript prints with an exponent',
      deposit,
      { onChainFee: '0.00000001' },
      ['exponent: JavaScript prints this number as 1e-8'],
    ],
    [
      'an amount of a deposit as a string',
      deposit,
      { expectedDepositAmount: '"0.1"' },
      [AS_STRING],
    ],
    ['an amount of a withdrawal as a number', withdrawal, { withdrawFee: '0.5' }, [AS_NUMBER]],
    [
      "the field table's spelling",
      withdrawal,
      { deducedSettlementAmount: '1.00', deductedSettlementAmount: undefined },
      [TABLE_SPELLING, AS_NUMBER],
    ],
    ['the spelling of a null', withdrawal, { deducedSettlementAmount: 'null' }, [TABLE_SPELLING]],
    ['milliseconds', deposit, { expirationTime: '1790003600123' }, [MILLISECONDS]],
    [
      'milliseconds in a string',
      deposit,
      { expirationTime: '"1790003600123"' },
      [AS_STRING, MILLISECONDS],
    ],
    ['no quirk of the year 1970', deposit, { expirationTime: '0' }, []],
    ['an identifier in upper case', deposit, { depositId: UPPER }, [LOWER_CASE]],
    [
      'an identifier of a withdrawal in upper case',
      withdrawal,
      { withdrawalId: UPPER },
      [LOWER_CASE],
    ],
    [
      'leading zeros of a tag',
      withdrawal,
      { toTxAddress: '"rX?dt=007"' },
      ['leading_zeros: a tag read as a number would lose its zeros'],
    ],
    [
      'an empty tag',
      withdrawal,
      { toTxAddress: '"rX?dt="' },
      ['empty_tag: an empty tag counts as none'],
    ],
    ['no quirk of a tag of zero', withdrawal, { toTxAddress: '"rX?dt=0"' }, []],
    ['no quirk of a tag alone', withdrawal, { toTxAddress: '"rX?dt=70"' }, []],
    ['no quirk of an address alone', withdrawal, { toTxAddress: '"rX"' }, []],
    ['a field that is not documented', deposit, { toTxAddress: '"rX?dt=007"' }, [ADDITIONAL]],
    ['a field that could not be read', deposit, { rateType: '"CAPPED"' }, [UNREADABLE]],
    [
      'a field that contradicts its other spelling',
      withdrawal,
      { deducedSettlementAmount: '"1"' },
      [TABLE_SPELLING, UNREADABLE],
    ],
    [
      'an empty string beside the other spelling',
      withdrawal,
      { deducedSettlementAmount: '""' },
      [TABLE_SPELLING, EMPTY],
    ],
    ['an empty string', deposit, { network: '""' }, [EMPTY]],
    [
      'a date-time as text',
      deposit,
      { expirationTime: '"2026-09-21T15:13:20Z"' },
      ['date_time: a date-time, where the sample has a UNIX time'],
    ],
    ['a UNIX time as text', deposit, { expirationTime: '"1790003600"' }, [AS_STRING]],
    ['what is nested deeply', deposit, { extra: arrays(101) }, [ADDITIONAL, DEEP]],
    ['objects that are nested deeply', deposit, { extra: objects }, [ADDITIONAL, DEEP]],
    ['not what is nested as deeply as may be', deposit, { extra: arrays(100) }, [ADDITIONAL]],
    [
      'not what has many brackets beside each other',
      deposit,
      { extra: `[${'[[{"a":{}}]],'.repeat(101)}[]]` },
      [ADDITIONAL],
    ],
    [
      'fields of the owner that were not read',
      withdrawal,
      owner('"category":5'),
      ['additional: unknown or unreadable: category, level, kept in its additionalFields'],
    ],
    ['no quirk of a null', withdrawal, { withdrawFee: 'null' }, []],
    [
      'no quirk of a withdrawal that was sent nowhere',
      withdrawal,
      { toTxAddress: 'null', status: '"FAILED"' },
      [],
    ],
    ['a refused field has none', deposit, { depositId: '"X"' }, []],
    [
      'the other fields of a refused body have theirs',
      deposit,
      { onChainFee: '"1"', paymentId: '"x"' },
      [AS_STRING],
    ],
  ])('%s', (_, bodyWith, fields, quirks) => {
    const [name = ''] = Object.keys(fields);
    expectQuirks(bodyWith(fields), name, quirks);
  });

  test.each<[string, string, string, string[]]>([
    ["the sample's spelling", withdrawal(), 'deductedSettlementAmount', [SAMPLE_SPELLING]],
    ['no quirk of an identifier in lower case', deposit(), 'depositId', []],
    ['no quirk of another text in upper case', deposit(), 'network', []],
    ['no quirk of the owner', withdrawal(), 'txAddressOwner', []],
    [
      'no quirk of the owner at another field',
      withdrawal(owner('"category":"y"')),
      'transactionId',
      [],
    ],
    [
      'a field that is there more than once',
      deposit().replace('{', '{"network":"X",'),
      'network',
      [REPEATED],
    ],
    [
      'none but a repetition are seen where the notification is unknown',
      '{"onChainFee":"1","onChainFee":"2","depositId":null}',
      'onChainFee',
      [REPEATED],
    ],
  ])('%s', (_, body, name, quirks) => expectQuirks(body, name, quirks));
});
