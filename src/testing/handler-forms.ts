import { DEPOSIT_RECEIVED } from '../parser/deposit-received.js';
import { readWire } from '../parser/members.js';
import { safeParseNotification } from '../parser/parse.js';
import type { Rules } from '../parser/rules.js';
import { WITHDRAWAL_BROADCAST } from '../parser/withdrawal-broadcast.js';
import {
  type Changes,
  type NewEvent,
  NOTHING_MOVED,
  type TestBody,
  type TestEvent,
} from './handler-events.js';
import { type BodyVariant, formsOf } from './variants.js';

/** The service doesn't document its headers. */
const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'text/plain',
  'application/octet-stream',
  null,
];

/** Makes a new event for each form in which a right handler settles a body. */
export function formsOfEvents(
  event: NewEvent,
  withContentTypes: boolean,
): { label: string; one: TestEvent; body: TestBody }[] {
  const variants = ({ body }: TestEvent): BodyVariant[] =>
    formsOf(readWire(body)).filter((variant) => variant.body !== body);
  const forms = variants(event()).flatMap((_, index) => {
    const one = event();
    const form = variants(one).slice(index, index + 1);
    return form.map(({ label, body }) => ({ label, one, body: { ...one, body } }));
  });
  const capitals = event();
  const types = (withContentTypes ? CONTENT_TYPES : []).map((contentType) => {
    const one = event();
    const label = contentType === null ? 'without a content type' : `as ${contentType}`;
    return { label, one, body: { ...one, contentType } };
  });
  return [
    ...forms,
    { label: 'identifiers in capitals', one: capitals, body: inCapitals(capitals) },
    ...types,
  ];
}

const rulesOf = ({ type }: TestEvent): Rules =>
  type === 'deposit.received' ? DEPOSIT_RECEIVED : WITHDRAWAL_BROADCAST;

export function inCapitals(event: TestEvent): TestBody {
  const fields: Changes = JSON.parse(event.body);
  const rules = rulesOf(event);
  const ids = Object.keys(rules).filter(
    (name) => rules[name]?.type.kind === 'id' || name === 'transactionId',
  );
  const written = ids.flatMap((id) =>
    typeof fields[id] === 'string' ? [[id, fields[id].toUpperCase()]] : [],
  );
  return event.with(Object.fromEntries(written));
}

/** A value that doesn't change what moves. */
export interface Value {
  readonly label: string;
  readonly changes: Changes;
  /** What depends on such a value. */
  readonly of: 'length' | 'expiry' | 'choice';
}

/** Values of what a handler doesn't need, each of which occurs. */
export function harmlessValues(event: TestEvent): Value[] {
  const rules = rulesOf(event);
  const amounts = Object.entries(rules).flatMap(([name, { need, type }]) =>
    need === 'optional' && type.kind === 'amount' && !Object.hasOwn(NOTHING_MOVED, name)
      ? AMOUNTS.map((amount) => value('choice', `${name} ${amount}`, { [name]: amount }))
      : [],
  );
  const lengths = Object.entries(LENGTHS).flatMap(([name, all]) =>
    all.map((length) =>
      value('length', `${name} of ${length} characters`, {
        [name]: `${'x'.repeat(length)}${name === 'toTxAddress' ? '?dt=1' : ''}`,
      }),
    ),
  );
  return [...amounts, ...lengths, ...OTHERS].filter(({ changes }) => {
    const isKnown = Object.keys(changes).every((name) => Object.hasOwn(rules, name));
    return isKnown && safeParseNotification(event.with(changes).body).success;
  });
}

const value = (of: Value['of'], label: string, changes: Changes): Value => ({ of, label, changes });

const AMOUNTS = ['-0.01', '0', '1234567890.123456789012345678'];

/** Lengths of Bitcoin, Ethereum, and the longest of Cardano. */
const ADDRESSES = [34, 42, 62, 103];
const LENGTHS: Readonly<Record<string, readonly number[]>> = {
  network: [3, 19],
  depositAddress: ADDRESSES,
  fromAddress: ADDRESSES,
  toTxAddress: ADDRESSES,
  transactionId: [64, 66, 88],
};

const OTHERS: readonly Value[] = [
  ...['FIXED', 'FLOATING', 'OTHER'].map((rateType) =>
    value('choice', `rateType ${rateType}`, { rateType }),
  ),
  ...['', '?dt=0', '?dt=00482', '?dt=4294967295'].map((tag) =>
    value('choice', tag || 'without a tag', {
      toTxAddress: `rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH${tag}`,
    }),
  ),
  value('choice', 'an owner without a name', { txAddressOwner: { name: null, category: null } }),
  value('choice', 'an owner with an empty name', { txAddressOwner: { name: '', category: '' } }),
  value('length', 'an owner whose name has quotes and an emoji', {
    txAddressOwner: { name: `O'Brien "\\" 漢字 🚀`, category: 'exchange' },
  }),
  value('expiry', 'received after expirationTime', {
    expirationTime: 1_790_000_600,
    paymentReceivedAt: 1_790_001_260,
  }),
];

/** Forms of a time that only the parser documents. A handler may hold them for review. */
export function timesInOtherForms(event: TestEvent): Value[] {
  const fields: Changes = JSON.parse(event.body);
  const times = Object.entries(rulesOf(event)).flatMap(([name, { type }]) => {
    const time = fields[name];
    return type.kind === 'timestamp' && typeof time === 'number' ? [[name, time] as const] : [];
  });
  return Object.entries(TIMES).map(([form, write]) => {
    const written = times.map(([name, time]) => [name, write(time)]);
    return value('choice', `every time ${form}`, Object.fromEntries(written));
  });
}

const TIMES: Readonly<Record<string, (seconds: number) => unknown>> = {
  'as a string': (seconds) => `${seconds}`,
  'with decimals': (seconds) => seconds + 0.25,
  'in milliseconds': (seconds) => seconds * 1000,
  'in milliseconds, as a string': (seconds) => `${seconds * 1000}`,
  'as a date-time': (seconds) => new Date(seconds * 1000).toISOString(),
  'as a date-time with an offset': (seconds) =>
    new Date((seconds + 7200) * 1000).toISOString().replace('Z', '+02:00'),
};
