import { DEPOSIT_RECEIVED } from '../../parser/deposit-received.js';
import { RateType } from '../../parser/enums.js';
import { safeParseNotification } from '../../parser/parse.js';
import type { Rules } from '../../parser/rules.js';
import { WITHDRAWAL_BROADCAST } from '../../parser/withdrawal-broadcast.js';
import { bodyVariants } from '../variants.js';
import type { Causes } from './causes.js';
import { type Changes, NOTHING_MOVED, type TestBody, type TestEvent } from './events.js';

/** Any may arrive, because the service doesn't document its headers. */
const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'text/plain',
  'application/octet-stream',
  null,
];

/** The forms in which a correct handler settles an event. */
export function formsOfEvent(
  one: TestEvent,
  withContentTypes: boolean,
): (readonly [label: string, body: TestBody])[] {
  const [, ...forms] = bodyVariants(one.body);
  return [
    ...forms.map(({ label, body }) => [label, { ...one, body }] as const),
    ['identifiers in capitals', inCapitals(one)],
    ...(withContentTypes ? CONTENT_TYPES : []).map((contentType) => {
      return [`content type ${contentType}`, { ...one, contentType }] as const;
    }),
  ];
}

const rulesOf = ({ type }: TestEvent): Rules =>
  type === 'deposit.received' ? DEPOSIT_RECEIVED : WITHDRAWAL_BROADCAST;

export function inCapitals(event: TestEvent): TestBody {
  const fields: Changes = JSON.parse(event.body);
  const ids = Object.entries(rulesOf(event)).flatMap(([name, { type }]) => {
    const id = type.kind === 'id' || name === 'transactionId' ? fields[name] : null;
    return typeof id === 'string' ? [[name, id.toUpperCase()]] : [];
  });
  return event.with(Object.fromEntries(ids));
}

/** Changes that must not change what moves, and the likely causes if they do. */
type Value = readonly [label: string, changes: Changes, causes: Causes];

const HARMLESS =
  'The event is dropped or refused for a value that decides nothing, such as a fee, the rateType or a warning. Ignore the value';
export const DROPPED =
  'The deposit is dropped because it is late, or not what the order expects. Credit it, or keep it for review and return amount: null in amountOf';
export const NARROW = {
  answer:
    'A column or a check may be too narrow, such as varchar(4), varchar(64), bigint or numeric(20,18). See the log',
};

const AMOUNTS = ['-0.01', '0', '1234567890.123456789012345678'];
const TAGS = ['', '?dt=0', '?dt=00482', '?dt=4294967295'];

/** Lengths of addresses of Bitcoin, Ethereum and Cardano. */
const ADDRESSES = [34, 42, 62, 103];
const LENGTHS = {
  network: [3, 19],
  depositAddress: ADDRESSES,
  fromAddress: ADDRESSES,
  toTxAddress: ADDRESSES,
  transactionId: [64, 66, 88],
};

const OTHERS: readonly Value[] = [
  ...[...Object.values(RateType), 'OTHER'].map((rateType): Value => {
    return [`rateType ${rateType}`, { rateType }, HARMLESS];
  }),
  ...TAGS.map((tag): Value => {
    const toTxAddress = `rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH${tag}`;
    return [tag || 'without a tag', { toTxAddress }, HARMLESS];
  }),
  ['no name', { txAddressOwner: { name: null, category: null } }, HARMLESS],
  ['an empty name', { txAddressOwner: { name: '', category: '' } }, HARMLESS],
  [
    'a name with quotes and an emoji',
    { txAddressOwner: { name: `O'Brien "\\" 漢字 🚀`, category: 'exchange' } },
    NARROW,
  ],
  [
    'received after expirationTime',
    { expirationTime: 1_790_000_600, paymentReceivedAt: 1_790_001_260 },
    DROPPED,
  ],
];

/** Values that may occur in fields that a handler doesn't need. */
export function harmlessValues(event: TestEvent): Value[] {
  const rules = rulesOf(event);
  const amounts = Object.entries(rules).flatMap(([name, { need, type }]) => {
    const isHarmless = need === 'optional' && type.kind === 'amount' && !(name in NOTHING_MOVED);
    return (isHarmless ? AMOUNTS : []).map((amount): Value => {
      return [`${name} ${amount}`, { [name]: amount }, HARMLESS];
    });
  });
  const texts = Object.entries(LENGTHS).flatMap(([name, lengths]) =>
    lengths.map((length): Value => {
      const text = `${'x'.repeat(length)}${name === 'toTxAddress' ? '?dt=1' : ''}`;
      return [`${name} of ${length} characters`, { [name]: text }, NARROW];
    }),
  );
  return [...amounts, ...texts, ...OTHERS].filter(([, changes]) => {
    const isKnown = Object.keys(changes).every((name) => Object.hasOwn(rules, name));
    return isKnown && safeParseNotification(event.with(changes).body).success;
  });
}

/** Forms of a time that only the parser documents. A handler may hold them for review. */
const TIMES: Readonly<Record<string, (seconds: number) => unknown>> = {
  'as a string': (seconds) => `${seconds}`,
  'with decimals': (seconds) => seconds + 0.25,
  'in milliseconds': (seconds) => seconds * 1000,
  'in milliseconds, as a string': (seconds) => `${seconds * 1000}`,
  'as a date-time': (seconds) => new Date(seconds * 1000).toISOString(),
  'as a date-time with an offset': (seconds) =>
    new Date((seconds + 7200) * 1000).toISOString().replace('Z', '+02:00'),
};

export function timesInOtherForms(event: TestEvent): Value[] {
  const times = Object.entries(JSON.parse(event.body)).filter(
    ([name, value]) => rulesOf(event)[name]?.type.kind === 'timestamp' && typeof value === 'number',
  );
  return Object.entries(TIMES).map(([form, write]) => {
    const written = times.map(([name, seconds]) => [name, write(Number(seconds))]);
    return [`every time ${form}`, Object.fromEntries(written), HARMLESS];
  });
}
