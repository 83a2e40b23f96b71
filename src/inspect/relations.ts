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
  /** The body is for review if it differs from another one, or contradicts it. */
  readonly kind: 'repeats' | 'differs' | 'contradicts' | 'related';
  readonly text: string;
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
interface Payment {
  readonly terms: string;
  readonly lines: number[];
  total: Decimal;
}

/** A relation names at most this many fields or bodies, and counts the rest. */
const MAX_NAMED = 2;

/**
 * Creates a function that takes the bodies of a list one by one, and relates each to the earlier
 * ones.
 *
 * @param inspect - Inspects an earlier body again, because to keep all inspections of a long list
 * would take too much memory.
 * @param note - Is called with each relation, also with those that an earlier body gets from a
 * later one.
 */
export function createRelations<T extends Listed>(
  inspect: (body: T) => Inspection,
  note: (body: T, relation: Relation) => void,
): (body: T, inspection: Inspection) => void {
  const events = new Map<string, Event<T>>();
  /** By `paymentId`; null if its deposits can't be added. */
  const payments = new Map<string, Payment | null>();

  function compare(event: Event<T>, body: T, inspection: Inspection): void {
    const [first] = event.agreeing;
    const differences = findDifferences(inspect(first), inspection);
    if (!isContradiction(inspection, differences)) {
      const names = differences.filter(({ isEncoding }) => !isEncoding).map(({ name }) => name);
      const where = placeOf(first, body);
      if (names.length === 0) note(body, { kind: 'repeats', text: `same event as ${where}` });
      else note(body, { kind: 'differs', text: `differs from ${where} in ${list(names)}` });
      if (event.rival === null) event.agreeing.push(body);
      else note(body, contradicts(event.rival, body));
      return;
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
  }

  /** The service doesn't document which status may follow another one. */
  function relateWithdrawal(key: string, body: T): void {
    const end = key.lastIndexOf(':') + 1;
    const own = key.slice(end);
    for (const status of Object.values(WithdrawalStatus)) {
      const other = events.get(`${key.slice(0, end)}${status}`)?.agreeing[0];
      if (other === undefined || status === own) continue;
      note(other, sameWithdrawal(body, other, own));
      note(body, sameWithdrawal(other, body, status));
    }
  }

  /** Adds the deposits of a payment, unless they differ in a currency or in what was expected. */
  function relateDeposit(body: T, { fields }: Inspection): void {
    const parsed = new Map(fields.map(({ name, parsed }) => [name, parsed]));
    const text = (name: string) => String(parsed.get(name));
    const id = text('paymentId').toLowerCase();
    const expected = parsed.get('expectedDepositAmount') ?? null;
    const currencies = [text('depositCurrency'), text('displayCurrency')];
    const terms = JSON.stringify([...currencies, text('settlementCurrency'), expected]);
    const amount = new Decimal(text('actualDepositAmount'));
    const payment = payments.get(id);
    if (payment === undefined) payments.set(id, { terms, lines: [body.line], total: amount });
    else if (payment?.terms !== terms || expected === null) payments.set(id, null);
    else {
      payment.total = payment.total.plus(amount);
      const { lines, total } = payment;
      const others = lines.length > MAX_NAMED ? `${lines.length} earlier bodies` : linesOf(lines);
      const sum = `${money(total, text('depositCurrency'))} of ${expected} expected`;
      note(body, { kind: 'related', text: `with ${others}: ${sum}` });
      lines.push(body.line);
    }
  }

  return (body, inspection) => {
    const { idempotencyKey: key, type } = inspection;
    if (key === null) return;
    const event = events.get(key);
    if (event !== undefined) {
      compare(event, body, inspection);
      return;
    }
    events.set(key, { agreeing: [body], rival: null, rivals: 0 });
    if (type === 'withdrawal.broadcast') relateWithdrawal(key, body);
    else relateDeposit(body, inspection);
  };
}

function contradicts(other: Listed, body: Listed): Relation {
  return { kind: 'contradicts', text: `contradicts ${placeOf(other, body)}` };
}

function sameWithdrawal(other: Listed, body: Listed, status: string): Relation {
  const text = `same withdrawal as ${placeOf(other, body)}, which reports ${status}`;
  return { kind: 'related', text };
}

function placeOf(other: Listed, body: Listed): string {
  return other.line === body.line ? 'another body of this line' : `line ${other.line}`;
}

function linesOf(lines: readonly number[]): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(' and ')}`;
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map(show);
  const left = names.length - shown.length;
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(' and ');
}
