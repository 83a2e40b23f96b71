import { DEPOSIT_RECEIVED } from '../parser/deposit-received.js';
import type { PaymentNotification } from '../parser/notification.js';
import type { Fields } from '../parser/objects.js';
import type { Rule } from '../parser/rules.js';
import { Decimal } from '../parser/values/amount.js';
import { WITHDRAWAL_BROADCAST } from '../parser/withdrawal-broadcast.js';

/** What a body has to do with an earlier one of the same deposit or withdrawal. */
export interface Relation<P> {
  /** `contradicts`: they differ in an amount, a currency, an identifier or the status. */
  readonly kind: 'repeats' | 'contradicts';
  /** The first body of the event. */
  readonly place: P;
}

/** How a relation is followed by a place. */
export const RELATIONS: Readonly<Record<Relation<unknown>['kind'], string>> = {
  repeats: 'same event as',
  contradicts: 'contradicts',
};

interface Event<P> {
  readonly digest: number;
  readonly place: P;
}

/** What a withdrawal moved, which the service doesn't require. */
const MOVED = ['actualWithdrawAmount', 'deductedSettlementAmount'];

/** The fields that say which event it is, and what moved. */
const DECIDING = {
  'deposit.received': findDeciding(DEPOSIT_RECEIVED),
  'withdrawal.broadcast': findDeciding(WITHDRAWAL_BROADCAST),
};

/**
 * Creates a function that takes accepted bodies one by one, and relates each to the first one with
 * its identifier. It keeps the identifier, a number and a place of each event, and no body.
 *
 * @param most - The number of events to keep. The function returns undefined for later ones.
 */
export function createEvents<P>(
  most: number,
): (notification: PaymentNotification, place: P) => Relation<P> | null | undefined {
  const events = new Map<string, Event<P>>();
  return (notification, place) => {
    const { type } = notification;
    const id = type === 'deposit.received' ? notification.depositId : notification.withdrawalId;
    const key = `${type}:${id.toLowerCase()}`;
    const digest = digestOf(notification);
    const first = events.get(key);
    if (first !== undefined) {
      const kind = first.digest === digest ? 'repeats' : 'contradicts';
      return { kind, place: first.place };
    }
    if (events.size === most) return undefined;
    events.set(key, { digest, place });
    return null;
  };
}

function findDeciding(rules: Readonly<Record<string, Rule>>): { name: string; isUuid: boolean }[] {
  return Object.entries(rules)
    .filter(([name, { need }]) => need === 'required' || MOVED.includes(name))
    .map(([name, { type }]) => ({ name, isUuid: type.kind === 'id' }));
}

/** A hash (FNV-1a) of what decides. It misses one of four billion contradictions. */
function digestOf(notification: PaymentNotification): number {
  const values: Fields = { ...notification };
  let hash = 0x811c9dc5;
  const mix = (code: number): void => {
    hash = Math.imul(hash ^ code, 0x01000193);
  };
  for (const { name, isUuid } of DECIDING[notification.type]) {
    const value = values[name] ?? null;
    if (value instanceof Decimal) {
      // Its parts are the same for all notations of an amount, and at hand.
      for (const part of [value.s, value.e, ...value.d]) mix(part);
    } else {
      // An address is an object with its raw text.
      const raw = typeof value === 'string' ? value : String(Object(value).raw ?? value);
      // A UUID is the same in upper and in lower case.
      const text = isUuid ? raw.toLowerCase() : raw;
      for (let at = 0; at < text.length; at += 1) mix(text.charCodeAt(at));
    }
    // Ends the value, so that no part of it can pass for one of the next.
    mix(-1);
  }
  return hash;
}
