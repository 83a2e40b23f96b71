import { expect, test } from 'vitest';
import { type FieldReading, readFields } from '../../src/inspect/fields.js';
import { openBody } from '../../src/parser/body.js';
import { readNotification } from '../../src/parser/notification.js';
import { readBody } from '../../src/parser/parse.js';
import { deposit, withdrawal } from '../sample-bodies.js';

/** The fields of a body, each as far as a test compares it. */
function fieldsOf(text: string): Record<string, unknown>[] {
  const body = openBody(text);
  if (body.fields === null) throw new Error('not opened');
  const { reading } = readBody(body, null, readNotification);
  return readFields(body, reading).map(shorten);
}

function shorten({ rule, value, ...field }: FieldReading): Record<string, unknown> {
  const json = value === undefined ? 'left out' : JSON.parse(JSON.stringify(value));
  return { ...field, need: rule?.need, value: json };
}

const named = (text: string, name: string) => fieldsOf(text).find((field) => field.name === name);

test('an amount has its literal and its value', () => {
  expect(named(deposit({ onChainFee: '1.2E-7' }), 'onChainFee')).toStrictEqual({
    name: 'onChainFee',
    need: 'optional',
    literal: '1.2E-7',
    value: '0.00000012',
    times: 1,
  });
});

test('a name that is sent twice counts twice, and has its last value', () => {
  const body = deposit({ network: '"a"' }).replace('}', ', "network" : "b"}');
  expect(named(body, 'network')).toMatchObject({ literal: '"b"', value: 'b', times: 2 });
});

test('the fields come as they were sent, then those that were not', () => {
  const names = fieldsOf('{"x":1,"withdrawalId":"y","deducedSettlementAmount":"2"}');
  expect(names.slice(0, 4)).toMatchObject([
    { name: 'x', need: undefined, value: '1', times: 1 },
    { name: 'withdrawalId', value: null },
    { name: 'deducedSettlementAmount', value: '2' },
    { name: 'status', need: 'required', literal: null, value: null, times: 0 },
  ]);
  expect(names.map(({ name }) => name)).not.toContain('deductedSettlementAmount');
});

test('two spellings that differ have both no value', () => {
  const body = withdrawal({ deductedSettlementAmount: '"1"', deducedSettlementAmount: '"2"' });
  for (const name of ['deductedSettlementAmount', 'deducedSettlementAmount']) {
    expect(named(body, name)).toMatchObject({ value: null });
  }
});

test('an unknown field that is left out has no value, whatever its name', () => {
  const deep = `${'['.repeat(1001)}${']'.repeat(1001)}`;
  const body = deposit({ toString: deep, constructor: '[ 1 ]', network: '5' });
  expect(named(body, 'toString')).toMatchObject({ value: 'left out', need: undefined });
  expect(named(body, 'constructor')).toMatchObject({ literal: '[1]', value: ['1'] });
  expect(named(body, 'network')).toMatchObject({ value: null });
});

test('the fields of a body without a type have no rules', () => {
  const nothing = { need: undefined, value: null, times: 1 };
  expect(fieldsOf('{"status":"CONFIRMED"}')).toMatchObject([{ name: 'status', ...nothing }]);
  expect(fieldsOf('{}')).toStrictEqual([]);
});
