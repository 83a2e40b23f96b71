import { Decimal } from '../amount.js';
import { idempotencyKey, type PaymentNotification } from '../notification.js';

/** The place of a body: the index of its file on the command line, and its line, from 1. */
export interface Place {
  readonly file: number;
  readonly line: number;
}

/** What is compared between deliveries of one event. */
const DIFFERENCES = ['amount', 'currency', 'account'] as const;
type Difference = (typeof DIFFERENCES)[number];

/** Contradicting bodies of one event: the first, and each that differs from it in something new. */
interface Conflict {
  readonly key: string;
  readonly differs: Difference[];
  readonly places: Place[];
}

/** The events of an archive by their idempotency keys: counts, and the first conflicts. */
export interface Keys {
  readonly limit: number;
  different: number;
  repeated: number;
  /** Bodies whose key came after the limit. */
  unremembered: number;
  conflicting: number;
  readonly differing: Record<Difference, number>;
  readonly conflicts: Conflict[];
}

/** Remembers up to `limit` events, and lists up to `listed` conflicts. */
export function createMemory(
  limit: number,
  listed: number,
): { readonly keys: Keys; add(event: PaymentNotification, place: Place): void } {
  const keys: Keys = {
    ...{ limit, different: 0, repeated: 0, unremembered: 0, conflicting: 0 },
    differing: { amount: 0, currency: 0, account: 0 },
    conflicts: [],
  };
  /** The text of each difference in the first body of an event, its file and its line: one a line. */
  const known = new Map<string, string>();
  const conflicts = new Map<string, Conflict>();
  const add = (event: PaymentNotification, place: Place): void => {
    const key = idempotencyKey(event);
    const first = known.get(key)?.split('\n');
    if (first === undefined) {
      if (known.size === limit) keys.unremembered += 1;
      else known.set(key, [...textsOf(event), place.file, place.line].join('\n'));
      keys.different = known.size;
      return;
    }
    keys.repeated += 1;
    const texts = textsOf(event);
    const before = { file: Number(first[3]), line: Number(first[4]) };
    const conflict = conflicts.get(key) ?? { key, differs: [], places: [before] };
    const differs = DIFFERENCES.filter((difference, index) => {
      return texts[index] !== first[index] && !conflict.differs.includes(difference);
    });
    if (differs.length === 0) return;
    for (const difference of differs) keys.differing[difference] += 1;
    conflict.differs.push(...differs);
    conflict.places.push(place);
    if (conflicts.has(key)) return;
    conflicts.set(key, conflict);
    keys.conflicting += 1;
    if (conflicts.size <= listed) keys.conflicts.push(conflict);
  };
  return { keys, add };
}

/** The text of each difference. Identifiers of the service are the same in either case. */
function textsOf(event: PaymentNotification): string[] {
  const amounts = Object.values(event).map((value) => (value instanceof Decimal ? value : ''));
  const isDeposit = event.type === 'deposit.received';
  const coin = isDeposit ? event.depositCurrency : event.withdrawCurrency;
  const accounts = isDeposit
    ? [event.network, event.depositAddress, event.fromAddress, event.clientPaymentId]
    : [event.toTxAddress?.address, event.toTxAddress?.destinationTag, event.clientWithdrawalId];
  const owner = isDeposit ? event.paymentId : event.businessId;
  return [
    amounts.join(' '),
    JSON.stringify([event.displayCurrency, event.settlementCurrency, coin]),
    JSON.stringify([...accounts, owner.toLowerCase()]),
  ];
}
