import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import { deposit, type Wire, withdrawal } from '../sample-bodies.js';

describe('the quirks of a field', () => {
  const ADDITIONAL =
    "additional: the service doesn't document this field; kept in additionalFields";
  const AS_NUMBER = 'encoding: unlike the sample, which has a string';
  const AS_STRING = 'encoding: unlike the sample, which has a number';
  const DATE_TIME = 'date_time: a date-time; the sample has a UNIX time';
  const DEEP = 'deeply_nested: nested too deeply; left out of the notification';
  const EMPTY = 'empty_text: an empty string counts as no value';
  const EMPTY_TAG = 'empty_tag: an empty tag counts as no tag';
  const EXPONENT = 'exponent: JavaScript prints this number as 1e-8';
  const LEADING_ZEROS = 'leading_zeros: a tag read as a number would lose its zeros';
  const LOWER_CASE = 'upper_case: the idempotency key has it in lower case';
  const MILLISECONDS = 'milliseconds: read as milliseconds, because it is too large for seconds';
  const OWNER = 'additional: kept in its additionalFields: category, level';
  const REPEATED = 'repeated: sent more than once; the last value counts';
  const SAMPLE_SPELLING =
    'spelling: the service also documents the spelling deducedSettlementAmount';
  const TABLE_SPELLING =
    'spelling: the service also documents the spelling deductedSettlementAmount';
  const UNREADABLE = 'unreadable: not read; kept in additionalFields';

  const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const owner = { txAddressOwner: '{"name":"x","category":5,"level":1}' };
  const twice = '{"onChainFee":"1","onChainFee":"2","depositId":null}';
  const deduced = (wire: string, others: Record<string, Wire> = {}) =>
    withdrawal({ deducedSettlementAmount: wire, ...others });

  test.each<[string, string, string, string[]]>([
    ['an exponent', deposit({ onChainFee: '0.00000001' }), 'onChainFee', [EXPONENT]],
    ['an amount as a number', withdrawal({ withdrawFee: '0.5' }), 'withdrawFee', [AS_NUMBER]],
    ["the sample's spelling", withdrawal(), 'deductedSettlementAmount', [SAMPLE_SPELLING]],
    ["the table's spelling", deduced('null'), 'deducedSettlementAmount', [TABLE_SPELLING]],
    [
      'a contradiction between the two spellings',
      deduced('"1"'),
      'deducedSettlementAmount',
      [TABLE_SPELLING, UNREADABLE],
    ],
    [
      'an empty string beside the other spelling',
      deduced('""'),
      'deducedSettlementAmount',
      [TABLE_SPELLING, EMPTY],
    ],
    [
      'the spelling and the encoding',
      deduced('1.00', { deductedSettlementAmount: undefined }),
      'deducedSettlementAmount',
      [TABLE_SPELLING, AS_NUMBER],
    ],
    [
      'milliseconds in a string',
      deposit({ expirationTime: '"1790003600123"' }),
      'expirationTime',
      [AS_STRING, MILLISECONDS],
    ],
    [
      'a date-time',
      deposit({ expirationTime: '"2026-09-21T15:13:20Z"' }),
      'expirationTime',
      [DATE_TIME],
    ],
    ['none for a fraction', deposit({ expirationTime: '1790003600.5' }), 'expirationTime', []],
    ['none for the year 1970', deposit({ expirationTime: '0' }), 'expirationTime', []],
    [
      'an identifier in upper case',
      withdrawal({ withdrawalId: '"3D6C2C1E-52A5-4F0B-9A53-2F1D8C0B7E44"' }),
      'withdrawalId',
      [LOWER_CASE],
    ],
    ['none for an identifier in lower case', deposit(), 'depositId', []],
    ['zeros of a tag', withdrawal({ toTxAddress: '"rX?dt=007"' }), 'toTxAddress', [LEADING_ZEROS]],
    ['none for zeros within one', withdrawal({ toTxAddress: '"rX?dt=100"' }), 'toTxAddress', []],
    ['none for zeros of a tag elsewhere', withdrawal({ toTxAddress: '"rX?dt=07"' }), 'status', []],
    ['an empty tag', withdrawal({ toTxAddress: '"rX?dt="' }), 'toTxAddress', [EMPTY_TAG]],
    ['none for a tag of zero', withdrawal({ toTxAddress: '"rX?dt=0"' }), 'toTxAddress', []],
    ['none for an address alone', withdrawal({ toTxAddress: '"rX"' }), 'toTxAddress', []],
    ['an unreadable field', deposit({ rateType: '"CAPPED"' }), 'rateType', [UNREADABLE]],
    ['an empty string', deposit({ network: '""' }), 'network', [EMPTY]],
    ['none for a null', withdrawal({ withdrawFee: 'null' }), 'withdrawFee', []],
    ['a name that objects inherit', deposit({ toString: '1' }), 'toString', [ADDITIONAL]],
    ['an unknown field without a value', deposit({ extra: 'null' }), 'extra', [ADDITIONAL]],
    ...['extra', 'toString', 'constructor', 'valueOf', '__proto__'].flatMap((name) =>
      [arrays(1001), `${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`].map(
        (deep): [string, string, string, string[]] => [
          `deep nesting of ${name}`,
          deposit({ [name]: deep }),
          name,
          [DEEP],
        ],
      ),
    ),
    ['none for nesting within the limit', deposit({ extra: arrays(1000) }), 'extra', [ADDITIONAL]],
    ["an owner's fields that were not read", withdrawal(owner), 'txAddressOwner', [OWNER]],
    ['none for the owner at another field', withdrawal(owner), 'transactionId', []],
    ['none for an owner that was read', withdrawal(), 'txAddressOwner', []],
    ['none for a refused field', deposit({ depositId: '"X"' }), 'depositId', []],
    [
      'those of the other fields of a refused body',
      deposit({ onChainFee: '"1"', paymentId: '"x"' }),
      'onChainFee',
      [AS_STRING],
    ],
    [
      'an unknown field of a refused body',
      deposit({ paymentId: '"x"', later: '1' }),
      'later',
      ["additional: the service doesn't document this field"],
    ],
    [
      'none for an unreadable field of a refused body, which has a warning',
      deposit({ paymentId: '"x"', rateType: '"CAPPED"' }),
      'rateType',
      [],
    ],
    [
      "an owner's fields in a refused body",
      withdrawal({ ...owner, withdrawalId: '"x"' }),
      'txAddressOwner',
      ['additional: unknown or not read: category, level'],
    ],
    ['a repetition', deposit().replace('{', '{"network":"X",'), 'network', [REPEATED]],
    ['only a repetition if the notification is unknown', twice, 'onChainFee', [REPEATED]],
  ])('are %s', (_, body, name, quirks) => {
    const field = inspectBody(body).fields.find((candidate) => candidate.name === name);
    expect(field?.quirks.map(({ code, note }) => `${code}: ${note}`)).toStrictEqual(quirks);
  });
});
