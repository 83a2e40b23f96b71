import { Decimal } from '../amount.js';
import { idempotencyKey, type Notification } from '../notification.js';
import type { TxAddress } from '../tx-address.js';
import { readWire, type WireFields } from '../wire/members.js';
import { DEPOSIT_SAMPLE, type Encoding, type Sample, WITHDRAWAL_SAMPLE } from '../wire/sample.js';
import type { TxAddressOwner } from '../withdrawal-broadcast.js';

/** Something about how a field came that a receiver may trip over. */
interface Quirk {
  readonly code:
    | 'additional'
    | 'empty_tag'
    | 'encoding'
    | 'exponent'
    | 'leading_zeros'
    | 'lost_digits'
    | 'milliseconds'
    | 'spelling'
    | 'upper_case';
  readonly message: string;
}

/** One field as it came and as it was understood. */
export interface InspectedField {
  readonly name: string;
  /** The value's JSON text, to the digit. */
  readonly came: string;
  /** What the notification holds of it. */
  readonly understood: unknown;
  /** The same for people, a line each. */
  readonly said: readonly string[];
  readonly quirks: readonly Quirk[];
}

/** A body that was read, field by field. */
export interface Inspection {
  readonly type: Notification['type'];
  readonly idempotencyKey: string;
  /** In the order in which they came; null for a body nested too deeply to be taken apart. */
  readonly fields: readonly InspectedField[] | null;
  /** Documented fields that did not come. */
  readonly absent: readonly string[];
}

const DEDUCTED = 'deductedSettlementAmount';
const DEDUCED = 'deducedSettlementAmount';

/** Sets a body beside the notification that was read from it. */
export function inspectBody(body: string, notification: Notification): Inspection {
  const { type } = notification;
  const sample: Sample = type === 'deposit.received' ? DEPOSIT_SAMPLE : WITHDRAWAL_SAMPLE;
  const key = idempotencyKey(notification);
  const wire = take(body);
  if (wire === null) return { type, idempotencyKey: key, fields: null, absent: [] };
  const absent = Object.keys(sample).filter((name) => name !== DEDUCED && !wire.has(name));
  return {
    type,
    idempotencyKey: key,
    fields: [...wire].map(([name, came]) => inspectField(name, came, notification, sample)),
    absent: absent.filter((name) => name !== DEDUCTED || !wire.has(DEDUCED)),
  };
}

/** The body's fields; null where only the native parser, which does not recurse, can read it. */
function take(body: string): WireFields | null {
  try {
    return readWire(body);
  } catch {
    return null;
  }
}

function inspectField(
  name: string,
  came: string,
  notification: Notification,
  sample: Sample,
): InspectedField {
  const { additionalFields } = notification;
  const spelled = name === DEDUCED || name === DEDUCTED ? [spelling(name)] : [];
  if (Object.hasOwn(additionalFields, name)) {
    const understood = additionalFields[name];
    return { name, came, understood, said: ['as sent'], quirks: [additional(name)] };
  }
  if (came === 'null') {
    return { name, came, understood: null, said: ['no value'], quirks: spelled };
  }
  if (notification.type === 'withdrawal.broadcast' && name === 'toTxAddress') {
    const { toTxAddress } = notification;
    if (toTxAddress !== null) return { name, came, ...addressField(toTxAddress) };
  }
  if (notification.type === 'withdrawal.broadcast' && name === 'txAddressOwner') {
    return { name, came, ...ownerField(notification.txAddressOwner) };
  }
  const understood = understand(notification, name);
  if (understood instanceof Decimal) {
    const quirks = [...spelled, ...amountQuirks(came, understood, sample[name]?.as)];
    return { name, came, understood, said: [understood.toString()], quirks };
  }
  if (understood instanceof Date) {
    const said = [understood.toISOString().replace('.000Z', 'Z')];
    return { name, came, understood, said, quirks: timeQuirks(came, understood) };
  }
  return { name, came, understood, said: ['as sent'], quirks: idQuirks(name, came) };
}

/** What the notification holds of a field of the body. */
function understand(notification: Notification, name: string): unknown {
  const key = name === DEDUCED ? DEDUCTED : name;
  return Object.entries(notification).find(([field]) => field === key)?.[1];
}

function additional(name: string): Quirk {
  const message =
    name === 'rateType'
      ? 'not a listed rate type: rateType is null, the value in additionalFields'
      : 'not documented: kept in additionalFields';
  return { code: 'additional', message };
}

function spelling(name: typeof DEDUCED | typeof DEDUCTED): Quirk {
  const message =
    name === DEDUCED
      ? `spelled as in the field table; the sample has ${DEDUCTED}`
      : `spelled as in the sample; the field table has ${DEDUCED}`;
  return { code: 'spelling', message };
}

function encoding(came: string, sample: 'a number' | 'a string'): Quirk[] {
  const is = came.startsWith('"') ? 'a string' : 'a number';
  if (is === sample) return [];
  return [{ code: 'encoding', message: `${is}, where the sample has ${sample}` }];
}

function amountQuirks(came: string, amount: Decimal, as?: Encoding): Quirk[] {
  const quirks = encoding(came, as === 'string' ? 'a string' : 'a number');
  if (came.startsWith('"')) return quirks;
  const double = String(Number(came));
  if (!amount.equals(double)) {
    quirks.push({ code: 'lost_digits', message: `a plain JSON.parse would read ${double}` });
  } else if (double.includes('e')) {
    quirks.push({ code: 'exponent', message: `JavaScript prints this number as ${double}` });
  }
  return quirks;
}

function timeQuirks(came: string, time: Date): Quirk[] {
  const quirks = encoding(came, 'a number');
  if (Number(came.replaceAll('"', '')) === time.getTime() && time.getTime() !== 0) {
    quirks.push({ code: 'milliseconds', message: 'in milliseconds: too large for seconds' });
  }
  return quirks;
}

function idQuirks(name: string, came: string): Quirk[] {
  if (name !== 'depositId' && name !== 'withdrawalId') return [];
  if (came === came.toLowerCase()) return [];
  return [{ code: 'upper_case', message: 'the idempotency key has it in lower case' }];
}

type Understood = Omit<InspectedField, 'name' | 'came'>;

function addressField(address: TxAddress): Understood {
  const { raw, address: account, destinationTag } = address;
  const quirks: Quirk[] = [];
  if (destinationTag?.startsWith('0')) {
    quirks.push({ code: 'leading_zeros', message: 'a tag read as a number would lose its zeros' });
  } else if (destinationTag === null && raw !== account) {
    quirks.push({ code: 'empty_tag', message: 'an empty tag counts as none' });
  }
  const tag = destinationTag === null ? 'no tag' : `tag ${destinationTag}`;
  return { understood: address, said: [account, tag], quirks };
}

function ownerField(owner: TxAddressOwner): Understood {
  const names = Object.keys(owner.additionalFields);
  const message = `not documented: ${names.join(', ')}, kept in its additionalFields`;
  return {
    understood: owner,
    said: [`name ${owner.name}`, `category ${owner.category}`],
    quirks: names.length === 0 ? [] : [{ code: 'additional', message }],
  };
}
