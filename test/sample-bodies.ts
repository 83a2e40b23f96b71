import {
  type DepositReceived,
  isNotificationError,
  type NotificationError,
  type NotificationIssue,
  type ParseResult,
  safeParseDepositReceived,
  safeParseWithdrawalBroadcast,
  type WithdrawalBroadcast,
} from 'payment-notifications';
import { fixture } from '../fixtures/index.js';
import { DEPOSIT_RECEIVED } from '../src/parser/deposit-received.js';
import type { Rules } from '../src/parser/rules.js';
import { OTHER_SPELLING } from '../src/parser/spelling.js';
import { WITHDRAWAL_BROADCAST } from '../src/parser/withdrawal-broadcast.js';

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

/** The error with which a call refuses what it is given. */
export function refusalOf(call: () => unknown): NotificationError {
  try {
    call();
  } catch (error) {
    if (isNotificationError(error)) return error;
    throw error;
  }
  throw new Error('not refused');
}

/** The notification of a body that must be read. */
export function read<T>(result: ParseResult<T>): T {
  if (!result.success) throw result.error;
  return result.notification;
}

/** The faults of a body: the issues of a refused one, the warnings of one that is read. */
export function issuesOf(
  result: ParseResult<{ warnings: readonly NotificationIssue[] }>,
): readonly NotificationIssue[] {
  return result.success ? result.notification.warnings : result.error.issues;
}

const WITHDRAWAL_FIELDS = fieldsOf('withdrawal', WITHDRAWAL_BROADCAST);

/** Every field of the two bodies, one of them in both of its spellings. */
export const FIELDS = [
  ...fieldsOf('deposit', DEPOSIT_RECEIVED),
  ...WITHDRAWAL_FIELDS,
  ...WITHDRAWAL_FIELDS.filter(({ name }) => name === 'deductedSettlementAmount').map((field) => {
    return { ...field, name: OTHER_SPELLING };
  }),
];

function fieldsOf(of: 'deposit' | 'withdrawal', rules: Rules) {
  return Object.entries(rules).map(([name, rule]) => {
    return { of, name, kind: rule.type.kind, ...rule };
  });
}

/** Reads the sample body with one field replaced, and perhaps others. */
export function parseWith(
  { of, name }: { of: 'deposit' | 'withdrawal'; name: string },
  wire: Wire,
  rest: Record<string, Wire> = {},
): ParseResult<DepositReceived | WithdrawalBroadcast> {
  return of === 'deposit'
    ? safeParseDepositReceived(deposit({ ...rest, [name]: wire }))
    : safeParseWithdrawalBroadcast(withdrawal({ ...rest, [name]: wire }));
}

/** An object that throws on every access. */
export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
