import {
  isNotificationError,
  type NotificationError,
  type ParseResult,
  safeParseDepositReceived,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { fixture } from './fixtures.js';

/** A field's value as JSON text; undefined leaves the field out. */
export type Wire = string | undefined;

const DEPOSIT = fixture('deposit-received/sample').body.toString();
const WITHDRAWAL = fixture('withdrawal-broadcast/sample').body.toString();

/** The sample deposit as JSON text with some fields replaced by JSON text. */
export function deposit(fields: Record<string, Wire> = {}): string {
  return withFields(DEPOSIT, fields);
}

/** The sample withdrawal as JSON text with some fields replaced by JSON text. */
export function withdrawal(fields: Record<string, Wire> = {}): string {
  return withFields(WITHDRAWAL, fields);
}

function withFields(sample: string, fields: Record<string, Wire>): string {
  const wire = new Map<string, Wire>(
    Object.entries(JSON.parse(sample)).map(([name, value]) => [name, JSON.stringify(value)]),
  );
  for (const [name, value] of Object.entries(fields)) wire.set(name, value);
  const members = [...wire].filter(([, value]) => value !== undefined);
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** The error of a refused body. */
export function errorOf(result: ParseResult<unknown>): NotificationError {
  if (result.success || !isNotificationError(result.error)) throw new Error('not refused');
  return result.error;
}

/** The notification of a body that must be read. */
export function read<T>(result: ParseResult<T>): T {
  if (!result.success) throw result.error;
  return result.notification;
}

/** The messages with which a deposit or withdrawal is refused; empty if it is read. */
export function messagesOf(result: ParseResult<unknown>): string[] {
  return result.success ? [] : result.error.issues.map(({ message }) => message);
}

/** Every field of the document, by the rule under which it is read. */
export const FIELDS = [
  { name: 'status', kind: 'deposit status', of: 'deposit', required: true },
  ...each('id', 'deposit', true, ['depositId', 'paymentId']),
  ...each('text', 'deposit', true, [
    'clientPaymentId',
    'depositCurrency',
    'displayCurrency',
    'settlementCurrency',
  ]),
  ...each('quantity', 'deposit', true, [
    'actualDepositAmount',
    'actualDisplayAmount',
    'settlementAmount',
  ]),
  ...each('quantity', 'deposit', false, ['expectedDepositAmount', 'expectedDisplayAmount']),
  ...each('signed amount', 'deposit', false, [
    'displayServiceFee',
    'settlementServiceFee',
    'onChainFee',
    'displayRateDepegLossAmount',
    'settlementRateDepegLossAmount',
    'settlementDistributedUserServiceFee',
    'displayDistributedUserServiceFee',
  ]),
  ...each('text', 'deposit', false, ['network', 'depositAddress', 'fromAddress', 'transactionId']),
  ...each('timestamp', 'deposit', false, [
    'paymentRequestedAt',
    'paymentReceivedAt',
    'expirationTime',
  ]),
  { name: 'rateType', kind: 'rate type', of: 'deposit', required: false },

  { name: 'status', kind: 'withdrawal status', of: 'withdrawal', required: true },
  ...each('id', 'withdrawal', true, ['withdrawalId', 'businessId']),
  ...each('text', 'withdrawal', true, [
    'clientWithdrawalId',
    'displayCurrency',
    'withdrawCurrency',
    'settlementCurrency',
  ]),
  ...each('quantity', 'withdrawal', true, ['expectedDisplayAmount', 'estimatedWithdrawAmount']),
  ...each('quantity', 'withdrawal', false, [
    'actualDisplayAmount',
    'actualWithdrawAmount',
    'deductedSettlementAmount',
  ]),
  ...each('signed amount', 'withdrawal', false, [
    'withdrawFee',
    'displayFee',
    'displayRateDepegLossAmount',
    'settlementRateDepegLossAmount',
  ]),
  { name: 'toTxAddress', kind: 'address', of: 'withdrawal', required: true },
  { name: 'transactionId', kind: 'text', of: 'withdrawal', required: false },
  { name: 'txAddressOwner', kind: 'owner', of: 'withdrawal', required: true },
] as const satisfies Field[];

interface Field {
  name: string;
  kind: string;
  of: 'deposit' | 'withdrawal';
  required: boolean;
}

function each<K extends string, O extends Field['of']>(
  kind: K,
  of: O,
  required: boolean,
  names: string[],
): { name: string; kind: K; of: O; required: boolean }[] {
  return names.map((name) => ({ name, kind, of, required }));
}

/** Reads the sample body with one field replaced. */
export function parseWith(
  { name, of }: Pick<Field, 'name' | 'of'>,
  wire: Wire,
): ParseResult<object> {
  return of === 'deposit'
    ? safeParseDepositReceived(deposit({ [name]: wire }))
    : safeParseWithdrawalBroadcast(withdrawal({ [name]: wire }));
}
