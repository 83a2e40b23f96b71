import { RateType } from '../../parser/enums.js';
import type { NotificationType } from '../../parser/errors.js';
import { safeParseNotification } from '../../parser/parse.js';
import { SAMPLES, typeOf } from '../sample.js';
import { type BodyVariant, bodyVariants, inBothEncodings } from '../variants.js';
import { readWire } from '../wire.js';
import * as advice from './advice.js';
import {
  type Changes,
  labeled,
  NOTHING_MOVED,
  plainBody,
  type TestBody,
  type TestEvent,
} from './events.js';
import type { Row } from './rows.js';

/** The kind of a field of either notification. */
const kindOf = (type: NotificationType, name: string): string | undefined =>
  typeOf(SAMPLES[type], name)?.kind;

// ---- Forms in which an event is the same ----

/** Writes an event in another form. */
type Form = readonly [label: string, write: (event: TestEvent) => TestBody];

/** The forms of a body in which a correct handler settles an event. */
export function eventForms(type: NotificationType): Form[] {
  const [, ...forms] = formsIn(type, bodyVariants);
  return [...forms, ['identifiers in capitals', inCapitals]];
}

/** Every amount as a number, and as a string. */
export const encodingsOf = (type: NotificationType): Form[] =>
  formsIn(type, (body) => inBothEncodings(readWire(body)));

function formsIn(type: NotificationType, variantsOf: (body: string) => BodyVariant[]): Form[] {
  return variantsOf(plainBody(type)).map(({ label }) => {
    const write = (event: TestEvent): TestBody => {
      const variant = variantsOf(event.body).find((one) => one.label === label);
      return { ...labeled(event, label), ...variant };
    };
    return [label, write];
  });
}

function inCapitals(event: TestEvent): TestBody {
  const fields: Changes = JSON.parse(event.body);
  const ids = Object.entries(fields).flatMap(([name, value]) => {
    const isId = kindOf(event.type, name) === 'id' || name === 'transactionId';
    return isId && typeof value === 'string' ? [[name, value.toUpperCase()]] : [];
  });
  return event.with(Object.fromEntries(ids), 'identifiers in capitals');
}

/** Any may arrive, because the service doesn't document its headers. */
export const CONTENT_TYPES: readonly Form[] = [
  'application/json; charset=utf-8',
  'text/plain',
  'application/octet-stream',
  null,
].map((contentType) => {
  const label = `content type ${contentType}`;
  return [label, (event) => ({ ...labeled(event, label), contentType })];
});

/** Forms of a time that only the parser documents. A handler may save them for review. */
export const TIMES: Readonly<Record<string, (seconds: number) => unknown>> = {
  'as a string': (seconds) => `${seconds}`,
  'with decimals': (seconds) => seconds + 0.25,
  'in milliseconds': (seconds) => seconds * 1000,
  'in milliseconds, as a string': (seconds) => `${seconds * 1000}`,
  'as a date-time': (seconds) => new Date(seconds * 1000).toISOString(),
  'as a date-time with an offset': (seconds) =>
    new Date((seconds + 7200) * 1000).toISOString().replace('Z', '+02:00'),
};

/** Writes each time of an event that is a number in another form. */
export function withTimes(event: TestEvent, form: string): TestEvent {
  const times = Object.entries(JSON.parse(event.body)).flatMap(([name, value]) => {
    const isTime = kindOf(event.type, name) === 'timestamp';
    return isTime && typeof value === 'number' ? [[name, TIMES[form]?.(value)]] : [];
  });
  return event.with(Object.fromEntries(times), `every time ${form}`);
}

// ---- Values that decide nothing ----

/** The fields without which a body is still valid. */
export function optionalFields(type: NotificationType): string[] {
  const fields: Changes = JSON.parse(plainBody(type));
  return Object.keys(fields).filter((name) => isValid({ ...fields, [name]: undefined }));
}

const isValid = (fields: Changes): boolean => safeParseNotification(JSON.stringify(fields)).success;

const ODD_AMOUNTS = ['-0.01', '0', '1234567890.123456789012345678'];
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

const OTHERS: readonly Row[] = [
  ...[...Object.values(RateType), 'OTHER'].map((rateType): Row => {
    return [`rateType ${rateType}`, { rateType }, advice.HARMLESS];
  }),
  ...TAGS.map((tag): Row => {
    const toTxAddress = `rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH${tag}`;
    return [tag || 'without a tag', { toTxAddress }, advice.HARMLESS];
  }),
  ['no name', { txAddressOwner: { name: null, category: null } }, advice.HARMLESS],
  ['an empty name', { txAddressOwner: { name: '', category: '' } }, advice.HARMLESS],
  [
    'a name with quotes and an emoji',
    { txAddressOwner: { name: `O'Brien "\\" 漢字 🚀`, category: 'exchange' } },
    advice.NARROW,
  ],
  [
    'received after expirationTime',
    { expirationTime: 1_790_000_600, paymentReceivedAt: 1_790_001_260 },
    advice.DROPPED,
  ],
];

/** Values that may occur in fields that a handler doesn't need. */
export function harmlessValues(type: NotificationType): Row[] {
  const amounts = optionalFields(type).flatMap((name) => {
    const isAmount = kindOf(type, name) === 'amount' && !(name in NOTHING_MOVED);
    return (isAmount ? ODD_AMOUNTS : []).map((amount): Row => {
      return [`${name} ${amount}`, { [name]: amount }, advice.HARMLESS];
    });
  });
  const texts = Object.entries(LENGTHS).flatMap(([name, lengths]) =>
    lengths.map((length): Row => {
      const text = `${'x'.repeat(length)}${name === 'toTxAddress' ? '?dt=1' : ''}`;
      return [`${name} of ${length} characters`, { [name]: text }, advice.NARROW];
    }),
  );
  const fields: Changes = JSON.parse(plainBody(type));
  return [...amounts, ...texts, ...OTHERS].filter(([, changes]) => {
    const isKnown = Object.keys(changes).every((name) => Object.hasOwn(fields, name));
    return isKnown && isValid({ ...fields, ...changes });
  });
}
