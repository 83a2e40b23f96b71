import * as v from 'valibot';
import { expect, test, vi } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { inShort } from '../package/outcomes.js';
import { refusalOf } from '../sample-bodies.js';

// Code that runs at import, such as a table of rules or a regular expression, has run before the
// tests of a file begin. Stryker applies its change after that, so only src that a test has loaded
// has it. Here, such src must do what the other src does.

const load = async () => ({
  index: await import('payment-notifications'),
  schemas: await import('payment-notifications/valibot'),
  syntax: await import('../../src/parser/json-syntax.js'),
  amount: await import('../../src/parser/values/amount.js'),
  text: await import('../../src/parser/values/text.js'),
  timestamp: await import('../../src/parser/values/timestamp.js'),
  txAddress: await import('../../src/parser/values/tx-address.js'),
});
type Loaded = Awaited<ReturnType<typeof load>>;
const before = await load();

/** Texts of which each is changed in every place. */
const TEXTS = [
  '["\\u00e9\\n\\\\",{"a":[-1.5e+7,0,true,false,null]}]',
  ...['[]', '1 t', 'tru', 'fals', 'nul', '"\\u0', '{"a":NaN}', '-Infinity', 'undefined', '{\0"'],
  ...['2026-09-21T14:13:20.5+02:00', 'x2026-12-31T23:59:59Z', '2026-12-31T23:59:59Zx'],
  ...['1790000000.25', '-0.10e-7', 'CONFIRMED', 'rX?dt=007'],
];
const CHARACTERS = [...'0123456789.:+-&eETZxu"\\{}[], \n', ''];

function* changesOf(text: string): Generator<string> {
  yield text;
  for (let at = 0; at <= text.length; at += 1) {
    yield text.slice(0, at);
    for (const character of CHARACTERS) yield text.slice(0, at) + character + text.slice(at + 1);
  }
}

/** What src says about a value, in every way. */
function* readBy(src: Loaded, value: unknown): Generator {
  const { amount, nonNegativeAmount } = src.amount;
  const { text, nonEmptyText, uuid, oneOf } = src.text;
  const others = [src.timestamp.timestamp, src.txAddress.txAddress, oneOf(src.index.DepositStatus)];
  for (const type of [amount, nonNegativeAmount, text, nonEmptyText, uuid, ...others]) {
    yield [type.kind, type.read(value), type.explain(value), type.doubt?.(value)];
  }
  const { AmountSchema, TimestampSchema, TxAddressSchema } = src.schemas;
  for (const schema of [AmountSchema, TimestampSchema, TxAddressSchema]) {
    yield v.safeParse(schema, value).success;
  }
  yield src.syntax.findSyntaxError(String(value));
}

/** What src says about a body, in every way. */
function* parsedBy(src: Loaded, body: Buffer | string): Generator {
  const { NotificationSchema, DepositReceivedSchema, WithdrawalBroadcastSchema } = src.schemas;
  const { index } = src;
  for (const [parse, safeParse, schema] of [
    [index.parseNotification, index.safeParseNotification, NotificationSchema],
    [index.parseDepositReceived, index.safeParseDepositReceived, DepositReceivedSchema],
    [index.parseWithdrawalBroadcast, index.safeParseWithdrawalBroadcast, WithdrawalBroadcastSchema],
  ] as const) {
    const { notification, error } = safeParse(body);
    yield [notification, error, `${error}`, index.isNotificationError(error)];
    yield v.safeParse(schema, body).success;
    if (notification) yield [parse(body), index.notificationFromJSON(JSON.stringify(notification))];
  }
}

test('src that a test has loaded does what the other src does', async () => {
  vi.resetModules();
  const after = await load();
  expect(after.index).not.toBe(before.index);
  const third = ({ index }: Loaded) => String(new index.Decimal('1e-60').div(3));
  expect(third(after)).toBe(third(before));
  const textOf = (said: Generator) => JSON.stringify([...said]);
  for (const value of TEXTS.flatMap((text) => [...changesOf(text)])) {
    const said = textOf(readBy(after, value));
    // An assertion for each would take most of the time.
    if (said !== textOf(readBy(before, value))) expect({ value, said }).toBe('as before');
  }
  for (const body of [...fixtures.map((fixture) => fixture.body), ...TEXTS]) {
    expect(textOf(parsedBy(after, body))).toBe(textOf(parsedBy(before, body)));
  }
  // Stryker may also have changed both.
  for (const { parser, body, expected } of fixtures.filter(({ expected }) => expected.issues)) {
    const error = refusalOf(() => after.index[parser](body));
    expect(inShort(JSON.parse(JSON.stringify(error)))).toStrictEqual(expected);
  }
  expect(after.amount.HAS_KNOWN_PARTS).toBe(true);
  expect(() => after.index.Decimal.set({})).toThrow('Decimal.set and Decimal.config are disabled');
});
