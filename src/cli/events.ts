import { Decimal } from '../amount.js';
import { readDepositReceived } from '../deposit-received.js';
import type { NotificationType } from '../errors.js';
import { type ReadContext, rulesOf } from '../internal/fields.js';
import type { PaymentNotification } from '../notification.js';
import { DEDUCED } from '../wire/sample.js';
import { readWithdrawalBroadcast, WithdrawalStatus } from '../withdrawal-broadcast.js';

// An event as a few numbers, so that millions of them can be remembered and compared: the four words of its
// UUID, what else its idempotency key says, a hash of two words each of its amounts, its currencies and its
// accounts, and its line.

/** How many numbers an event is. */
export const EVENT_WORDS = 12;
/** Offsets into an event. */
export const KIND = 4;
export const AMOUNTS = 5;
export const CURRENCIES = 7;
export const ACCOUNTS = 9;
export const LINE = 11;

/**
 * Two random numbers, one for each word of a hash: with 64 bits that nobody can foresee, two events that
 * differ don't come to the same, not even if somebody wants them to.
 */
export type Seeds = readonly [number, number];

export function randomSeeds(): Seeds {
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [first, second];
}

const STATUSES: readonly string[] = Object.values(WithdrawalStatus);

/** Adds the numbers of a notification's event. */
export function pushEvent(
  events: number[],
  notification: PaymentNotification,
  line: number,
  seeds: Seeds,
): void {
  pushUuid(events, idOf(notification));
  const isDeposit = notification.type === 'deposit.received';
  events.push(isDeposit ? 0 : 1 + STATUSES.indexOf(notification.status));
  for (const seed of seeds) events.push(hashAmounts(notification, seed));
  const currencies = currenciesOf(notification);
  for (const seed of seeds) events.push(hashTexts(currencies, seed));
  const accounts = accountsOf(notification);
  for (const seed of seeds) events.push(hashTexts(accounts, seed));
  events.push(line);
}

/** The idempotency key of the event that starts there. */
export function keyOf(events: Uint32Array, start: number): string {
  const digits = Array.from(events.subarray(start, start + KIND), (word) =>
    word.toString(16).padStart(8, '0'),
  ).join('');
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const kind = wordAt(events, start + KIND);
  return kind === 0
    ? `deposit.received:${uuid}`
    : `withdrawal.broadcast:${uuid}:${STATUSES[kind - 1]}`;
}

/** A number that is known to be there, which the compiler can't know. */
export function wordAt(words: Uint32Array, at: number): number {
  return words[at] as number;
}

function idOf(notification: PaymentNotification): string {
  return notification.type === 'deposit.received'
    ? notification.depositId
    : notification.withdrawalId;
}

/** Four words of eight hexadecimal digits, in upper or lower case. */
function pushUuid(events: number[], uuid: string): void {
  let word = 0;
  let digits = 0;
  for (let at = 0; at < uuid.length; at += 1) {
    const code = uuid.charCodeAt(at);
    if (code === 0x2d) continue;
    // Behind 9 come the letters, of either case: A is 1 in the last four bits.
    word = (word << 4) | ((code & 0xf) + (code > 0x39 ? 9 : 0));
    digits += 1;
    if (digits % 8 !== 0) continue;
    events.push(word >>> 0);
    word = 0;
  }
}

/** The names of the fields that say how much. */
const AMOUNT_FIELDS: Readonly<Record<NotificationType, readonly string[]>> = {
  'deposit.received': amountsOf(readDepositReceived),
  'withdrawal.broadcast': amountsOf(readWithdrawalBroadcast),
};

function amountsOf(reader: (context: ReadContext) => unknown): string[] {
  return rulesOf(reader)
    .filter(({ type, name }) => type.kind === 'amount' && name !== DEDUCED)
    .map(({ name }) => name);
}

function currenciesOf(notification: PaymentNotification): string[] {
  const { displayCurrency, settlementCurrency } = notification;
  return notification.type === 'deposit.received'
    ? [displayCurrency, settlementCurrency, notification.depositCurrency]
    : [displayCurrency, settlementCurrency, notification.withdrawCurrency];
}

/** From where, to where and for whom. Identifiers of the service are the same in either case. */
function accountsOf(notification: PaymentNotification): (string | null)[] {
  if (notification.type === 'deposit.received') {
    const { network, depositAddress, fromAddress, clientPaymentId, paymentId } = notification;
    return [network, depositAddress, fromAddress, clientPaymentId, paymentId.toLowerCase()];
  }
  const { toTxAddress, clientWithdrawalId, businessId } = notification;
  const { address = null, destinationTag = null } = toTxAddress ?? {};
  return [address, destinationTag, clientWithdrawalId, businessId.toLowerCase()];
}

/** The same for equal amounts, however they were written. */
function hashAmounts(notification: PaymentNotification, seed: number): number {
  const values = notification as unknown as Readonly<Record<string, unknown>>;
  let hash = 0;
  for (const name of AMOUNT_FIELDS[notification.type]) {
    const amount = values[name];
    if (!(amount instanceof Decimal)) {
      hash = mix(hash, seed);
      continue;
    }
    // What decimal.js documents a Decimal to be made of.
    hash = mix(mix(hash, amount.s ^ seed), amount.e ^ seed);
    for (const word of amount.d) hash = mix(hash, word ^ seed);
    hash = mix(hash, amount.d.length ^ seed);
  }
  return hash >>> 0;
}

function hashTexts(texts: readonly (string | null)[], seed: number): number {
  let hash = 0;
  for (const text of texts) {
    if (text !== null) {
      for (let at = 0; at < text.length; at += 1) hash = mix(hash, text.charCodeAt(at) ^ seed);
    }
    hash = mix(hash, (text === null ? -1 : text.length) ^ seed);
  }
  return hash >>> 0;
}

/** A round of MurmurHash3. */
export function mix(hash: number, value: number): number {
  let word = Math.imul(value, 0xcc9e2d51);
  word = Math.imul((word << 15) | (word >>> 17), 0x1b873593);
  const mixed = hash ^ word;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}
