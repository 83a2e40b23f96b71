import { Decimal } from '../amount.js';
import { DEPOSIT_RECEIVED } from '../deposit-received.js';
import type { Rules } from '../internal/rules.js';
import { DEDUCED, DEDUCTED } from '../wire/sample.js';
import { WITHDRAWAL_BROADCAST, WithdrawalStatus } from '../withdrawal-broadcast.js';
import type { InspectedField, Inspection } from './index.js';
import { money, show } from './summary.js';

/** A field whose text differs in two bodies. */
export interface DifferentField {
  readonly name: string;
  readonly raws: readonly [one: string | undefined, other: string | undefined];
  /** Whether both have the same value in different encodings. */
  readonly isEncoding: boolean;
}

/** Finds the fields whose text differs, those with different values first. */
export function findDifferences(one: Inspection, other: Inspection): DifferentField[] {
  const ones = new Map(one.fields.map((field) => [field.name, field]));
  const others = new Map(other.fields.map((field) => [field.name, field]));
  const found = [...new Set([...ones.keys(), ...others.keys()])].flatMap((name) => {
    const [left, right] = [ones.get(name), others.get(name)];
    if (left?.raw === right?.raw) return [];
    const isSame = canonical(left) === canonical(right);
    const isEncoding = isSame && !isUnread(left) && !isUnread(right);
    return [{ name, raws: [left?.raw, right?.raw] as const, isEncoding }];
  });
  return found.sort((a, b) => Number(a.isEncoding) - Number(b.isEncoding));
}

/** The identifiers assigned by the service, which are the same in upper and in lower case. */
const UUIDS = ['depositId', 'paymentId', 'withdrawalId', 'businessId'];

function canonical(field: InspectedField | undefined): string {
  const value = JSON.stringify(field?.parsed ?? null);
  return UUIDS.includes(`${field?.name}`) ? value.toLowerCase() : value;
}

/** Whether a field has a value that could not be read. */
function isUnread(field: InspectedField | undefined): boolean {
  return field?.parsed === null && field.raw !== 'null' && field.raw !== '""';
}

const RULES: Readonly<Record<string, Rules>> = {
  'deposit.received': DEPOSIT_RECEIVED,
  'withdrawal.broadcast': WITHDRAWAL_BROADCAST,
};

/** What a withdrawal moved, which the service doesn't require. */
const MOVED = ['actualWithdrawAmount', DEDUCTED, DEDUCED];

/**
 * Whether two bodies of one event contradict each other: a field that identifies the event or says
 * what moved has different values.
 */
export function isContradiction(
  { type }: Inspection,
  differences: readonly DifferentField[],
): boolean {
  const rules = RULES[`${type}`] ?? {};
  return differences.some(
    ({ name, isEncoding }) =>
      !isEncoding && (rules[name]?.need === 'required' || MOVED.includes(name)),
  );
}

/** A body of a list. */
export interface Listed {
  /** The number of the line in which the body starts. */
  readonly line: number;
}

/** What a body of a list has to do with other bodies of the list. */
export interface Relation {
  readonly kind: 'repeats' | 'differs' | 'contradicts' | 'statuses' | 'exceeds' | 'related';
  readonly text: string;
  /** The ID of a withdrawal of which the list has several statuses. */
  readonly withdrawalId?: string;
}

/**
 * Whether a body is for review because of others: they contradict it, report another status of its
 * withdrawal, or arrived for a payment that got more than expected.
 */
export function isForReview(relations: readonly Relation[]): boolean {
  return relations.some(({ kind }) => ['contradicts', 'statuses', 'exceeds'].includes(kind));
}

/** The bodies of one event. */
interface Event<T> {
  /** They don't contradict each other. Only the first is kept once there is a rival. */
  readonly agreeing: [first: T, ...others: T[]];
  /** The first body that contradicts them. */
  rival: T | null;
  rivals: number;
}

/** The deposits of one payment. */
interface Payment<T> {
  readonly terms: string;
  readonly currency: string;
  readonly expected: string;
  total: Decimal;
  /** The first body of each deposit. */
  readonly deposits: T[];
  readonly bodies: {
    readonly body: T;
    /** The first body of the same deposit. */
    readonly first: T;
    relation: Relation | null;
  }[];
}

/** The first deposit of an order. */
interface Order<T> {
  readonly paymentId: string;
  readonly body: T;
  hasOthers: boolean;
}

/** A relation names at most this many fields or bodies, and counts the rest. */
const MAX_NAMED = 2;
/** Each deposit changes the sum of all bodies of its payment, which more would make slow. */
const MAX_ADDED = 50;

/**
 * Creates a function that takes the bodies of a list one by one, and relates each to the earlier
 * ones.
 *
 * @param inspect - Inspects an earlier body again, because to keep all inspections of a long list
 * would take too much memory.
 * @param note - Is called with each relation, also with those that an earlier body gets from a
 * later one. Another relation may be replaced by it, or by null.
 */
export function createRelations<T extends Listed>(
  inspect: (body: T) => Inspection,
  note: (body: T, relation: Relation | null, replaced?: Relation | null) => void,
): (body: T, inspection: Inspection) => void {
  const events = new Map<string, Event<T>>();
  /** By `paymentId`; null if its deposits can't be added. */
  const payments = new Map<string, Payment<T> | null>();
  /** By `clientPaymentId`. */
  const orders = new Map<string, Order<T>>();

  /** Returns whether a body agrees with the first one of its event. */
  function compare(event: Event<T>, body: T, inspection: Inspection): boolean {
    const [first] = event.agreeing;
    const differences = findDifferences(inspect(first), inspection);
    if (!isContradiction(inspection, differences)) {
      const names = differences.filter(({ isEncoding }) => !isEncoding).map(({ name }) => name);
      const where = placeOf(first, body);
      if (names.length === 0) note(body, { kind: 'repeats', text: `same event as ${where}` });
      else note(body, { kind: 'differs', text: `differs from ${where} in ${list(names)}` });
      if (event.rival === null) event.agreeing.push(body);
      else note(body, contradicts(event.rival, body));
      return true;
    }
    note(body, contradicts(first, body));
    if (event.rival === null) {
      event.rival = body;
      for (const earlier of event.agreeing.splice(1)) note(earlier, contradicts(body, earlier));
    }
    event.rivals += 1;
    if (event.rivals <= MAX_NAMED) note(first, contradicts(body, first));
    if (event.rivals === MAX_NAMED + 1) {
      note(first, { kind: 'contradicts', text: 'contradicts more bodies' });
    }
    return false;
  }

  /** The service doesn't document which status may follow another one. */
  function relateWithdrawal(key: string, body: T, isFirst: boolean): void {
    const end = key.lastIndexOf(':') + 1;
    const own = key.slice(end);
    const withdrawalId = key.slice(0, end);
    for (const status of Object.values(WithdrawalStatus)) {
      const others = events.get(`${withdrawalId}${status}`)?.agreeing ?? [];
      const [first] = others;
      if (first === undefined || status === own) continue;
      const relate = (one: T, other: T, reported: string): void => {
        const text = `same withdrawal as ${placeOf(other, one)}, which reports ${reported}`;
        note(one, { kind: 'statuses', text, withdrawalId });
      };
      if (isFirst) for (const other of others) relate(other, body, own);
      relate(body, first, status);
    }
  }

  /** Adds the deposits of a payment, unless they differ in a currency or in what was expected. */
  function relateDeposit(body: T, first: T, { fields }: Inspection): void {
    const parsed = new Map(fields.map(({ name, parsed }) => [name, parsed]));
    const text = (name: string) => String(parsed.get(name));
    const id = text('paymentId').toLowerCase();
    const currency = text('depositCurrency');
    const expected = parsed.get('expectedDepositAmount') ?? null;
    const currencies = [currency, text('displayCurrency'), text('settlementCurrency')];
    const terms = JSON.stringify([...currencies, expected]);
    const known = payments.get(id);
    if (known === null) return;
    const payment = known ?? {
      ...{ terms, currency, expected: String(expected), total: new Decimal(0) },
      ...{ deposits: [], bodies: [] },
    };
    payments.set(id, payment);
    payment.bodies.push({ body, first, relation: null });
    if (body !== first) {
      noteSum(payment, payment.bodies.slice(-1));
      return;
    }
    relateOrder(body, id, text('clientPaymentId'));
    payment.deposits.push(body);
    payment.total = payment.total.plus(text('actualDepositAmount'));
    const { length } = payment.deposits;
    if (length > 1 && (payment.terms !== terms || expected === null || length > MAX_ADDED)) {
      payments.set(id, null);
      for (const { body, relation } of payment.bodies) {
        if (relation !== null) note(body, null, relation);
      }
      return;
    }
    noteSum(payment, payment.bodies);
  }

  function noteSum(payment: Payment<T>, bodies: Payment<T>['bodies']): void {
    const { total, currency, expected, deposits } = payment;
    if (deposits.length === 1) return;
    const more = total.minus(expected);
    const direction = more.isNegative() ? 'less' : 'more';
    const sum = more.isZero()
      ? 'exactly what was expected'
      : `${money(more.abs(), currency)} ${direction} than expected`;
    const kind = more.isPositive() && !more.isZero() ? 'exceeds' : 'related';
    for (const one of bodies) {
      const replaced = one.relation;
      const text = `with ${othersOf(one.first, deposits, one.body)}: together ${sum}`;
      one.relation = { kind, text };
      note(one.body, one.relation, replaced);
    }
  }

  /** A merchant sends its own identifier with each payment. It should be unique. */
  function relateOrder(body: T, paymentId: string, clientPaymentId: string): void {
    const order = orders.get(clientPaymentId);
    if (order === undefined) orders.set(clientPaymentId, { paymentId, body, hasOthers: false });
    else if (order.paymentId !== paymentId) {
      note(body, anotherPayment(order.body, body));
      if (!order.hasOthers) note(order.body, anotherPayment(body, order.body));
      order.hasOthers = true;
    }
  }

  return (body, inspection) => {
    const { idempotencyKey: key, type } = inspection;
    if (key === null) return;
    const event = events.get(key);
    if (event !== undefined && !compare(event, body, inspection)) return;
    if (event === undefined) events.set(key, { agreeing: [body], rival: null, rivals: 0 });
    const first = event?.agreeing[0] ?? body;
    if (type === 'withdrawal.broadcast') relateWithdrawal(key, body, event === undefined);
    else relateDeposit(body, first, inspection);
  };
}

/** Returns the relations of a body after it is noted that one of them replaces another. */
export function withRelation(
  known: readonly Relation[],
  relation: Relation | null,
  replaced: Relation | null = null,
): Relation[] {
  const kept = known.filter((one) => one !== replaced);
  return relation === null ? kept : [...kept, relation];
}

function contradicts(other: Listed, body: Listed): Relation {
  return { kind: 'contradicts', text: `contradicts ${placeOf(other, body)}` };
}

function anotherPayment(other: Listed, body: Listed): Relation {
  return { kind: 'related', text: `same order as ${placeOf(other, body)}, another payment` };
}

function placeOf(other: Listed, body: Listed): string {
  return other.line === body.line ? 'another body of this line' : `line ${other.line}`;
}

/** Names the deposits of a payment except the first one. */
function othersOf<T extends Listed>(own: T, deposits: readonly T[], body: T): string {
  if (deposits.length > MAX_NAMED + 1) return `${deposits.length - 1} other bodies`;
  const others = deposits.filter((deposit) => deposit !== own);
  const places = others.map((other) => placeOf(other, body));
  const [first, second] = places;
  if (second === undefined) return `${first}`;
  return first === second ? '2 other bodies of this line' : `${first} and ${second}`;
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => show(name));
  const left = names.length - shown.length;
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(' and ');
}
