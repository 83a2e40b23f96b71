// A merchant's handler, as type-checked in their CI: no DOM, no Node types, every library checked.
import {
  type BodyParser,
  Decimal,
  type DepositReceived,
  DepositReceivedSchema,
  DepositStatus,
  type IssueCode,
  idempotencyKey,
  isNotificationError,
  joinToTxAddress,
  NotificationError,
  type NotificationIssue,
  type NotificationReference,
  NotificationSchema,
  type NotificationType,
  type ParseResult,
  type PaymentNotification,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
  RateType,
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
  splitToTxAddress,
  type TxAddress,
  type TxAddressOwner,
  type WithdrawalBlocked,
  type WithdrawalBroadcast,
  WithdrawalBroadcastSchema,
  type WithdrawalCompleted,
  type WithdrawalFailed,
  WithdrawalStatus,
} from 'payment-notifications';

interface Answer {
  readonly status: number;
  readonly codes?: readonly IssueCode[];
}

const settled = new Map<string, Decimal>();

export function handle(body: RawBody): Answer {
  const result: ParseResult<PaymentNotification> = safeParseNotification(body);
  if (!result.success) return refuse(result.error);
  const { notification } = result;
  settled.set(idempotencyKey(notification), amountOf(notification));
  return { status: 200 };
}

export function handleDeposit(body: Uint8Array): Answer {
  try {
    const deposit: DepositReceived = parseDepositReceived(body);
    credit(deposit);
    return { status: 200 };
  } catch (error) {
    if (!isNotificationError(error)) throw error;
    return refuse(error);
  }
}

export function handleWithdrawal(body: ArrayBuffer): string {
  const withdrawal: WithdrawalBroadcast = parseWithdrawalBroadcast(body);
  switch (withdrawal.status) {
    case WithdrawalStatus.COMPLETED: {
      const completed: WithdrawalCompleted = withdrawal;
      return `sent ${completed.actualWithdrawAmount ?? completed.estimatedWithdrawAmount}`;
    }
    case WithdrawalStatus.FAILED: {
      const failed: WithdrawalFailed = withdrawal;
      return failed.clientWithdrawalId;
    }
    case WithdrawalStatus.BLOCKED: {
      const blocked: WithdrawalBlocked = withdrawal;
      return ownerOf(blocked.txAddressOwner);
    }
    default:
      return never(withdrawal);
  }
}

function amountOf(notification: PaymentNotification): Decimal {
  switch (notification.type) {
    case 'deposit.received':
      return notification.settlementAmount;
    case 'withdrawal.broadcast':
      return notification.deductedSettlementAmount ?? new Decimal(0);
    default:
      return never(notification);
  }
}

function credit(deposit: DepositReceived): Decimal {
  const confirmed: DepositStatus = deposit.status;
  if (confirmed !== DepositStatus.CONFIRMED) return never(confirmed);
  const rate: RateType | null = deposit.rateType;
  const isFixed = rate === RateType.FIXED;
  const fee: Decimal = deposit.settlementServiceFee ?? new Decimal('0');
  const received: string | undefined = deposit.paymentReceivedAt?.toISOString();
  return isFixed && received ? deposit.settlementAmount.minus(fee) : deposit.settlementAmount;
}

function ownerOf({ name, category, additionalFields }: TxAddressOwner): string {
  return `${name} (${category})${additionalFields.country === undefined ? '' : ' abroad'}`;
}

function refuse({ issues, reference, notificationType }: NotificationError): Answer {
  const type: NotificationType | null = notificationType;
  const found: NotificationReference = reference;
  const paymentId: string | undefined = found.paymentId;
  const isOurs = type !== null && paymentId !== undefined;
  return { status: isOurs || issues.some(isPermanent) ? 422 : 400, codes: issues.map(codeOf) };
}

function codeOf(issue: NotificationIssue): IssueCode {
  return issue.code;
}

function isPermanent({ code }: NotificationIssue): boolean {
  switch (code) {
    case 'invalid_json':
    case 'body_too_large':
    case 'not_an_object':
    case 'unrecognized_notification':
      return true;
    case 'missing_field':
    case 'wrong_type':
    case 'invalid_amount':
    case 'negative_amount':
    case 'inexact_number':
    case 'invalid_timestamp':
    case 'invalid_id':
    case 'unknown_value':
    case 'invalid_tx_address':
    case 'conflicting_fields':
      return false;
    default:
      return never(code);
  }
}

export function retag(value: string): string {
  const address: TxAddress = splitToTxAddress(value);
  return joinToTxAddress({ ...address, destinationTag: '7' });
}

export function total(first: string, second: RawBody): string {
  const deposit = safeParseDepositReceived(first);
  const withdrawal = safeParseWithdrawalBroadcast(second);
  if (!deposit.success || !withdrawal.success) return 'refused';
  return deposit.notification.settlementAmount
    .minus(withdrawal.notification.estimatedWithdrawAmount)
    .toString();
}

export async function validate(body: unknown): Promise<PaymentNotification | null> {
  const schemas = [DepositReceivedSchema, WithdrawalBroadcastSchema, NotificationSchema];
  for (const schema of schemas) {
    const result = await schema['~standard'].validate(body);
    if (!result.issues) return result.value;
  }
  return null;
}

export const parsers: readonly BodyParser<PaymentNotification>[] = [
  parseDepositReceived,
  parseWithdrawalBroadcast,
  parseNotification,
];

export function isRefusal(error: unknown): boolean {
  return error instanceof NotificationError;
}

function never(value: never): never {
  throw new Error(`unexpected ${String(value)}`);
}
