// A merchant's handler, as type-checked in their CI: no DOM, no Node types, every library checked.
import type { Decimal as HostDecimal } from 'decimal.js';
import * as pn from 'payment-notifications';
import { type Inspection, inspectBody, type QuirkCode } from 'payment-notifications/inspect';

export function handle(body: pn.RawBody): number {
  const result: pn.ParseResult<pn.PaymentNotification> = pn.safeParseNotification(body);
  const { success, notification, error } = result;
  if (!success) return error.issues[0].code === 'missing_field' ? 422 : 400;
  const key: string = pn.idempotencyKey(notification);
  switch (notification.type) {
    case 'deposit.received':
      return credit(notification).isZero() ? 204 : key.length;
    case 'withdrawal.broadcast':
      return settle(notification).length;
    default:
      return never(notification);
  }
}

function credit(deposit: pn.DepositReceived): pn.Decimal {
  const confirmed: pn.DepositStatus = deposit.status;
  if (confirmed !== pn.DepositStatus.CONFIRMED) return never(confirmed);
  const rate: pn.RateType | null = deposit.rateType;
  const fee: HostDecimal = deposit.settlementServiceFee ?? new pn.Decimal('0');
  const received: string | undefined = deposit.paymentReceivedAt?.toISOString();
  const isLate = rate === pn.RateType.FIXED && received === undefined;
  return isLate ? fee : deposit.settlementAmount.minus(fee);
}

function settle(withdrawal: pn.WithdrawalBroadcast): string {
  switch (withdrawal.status) {
    case pn.WithdrawalStatus.COMPLETED: {
      const { toTxAddress }: pn.WithdrawalCompleted = withdrawal;
      const { address, destinationTag }: pn.TxAddress = pn.splitToTxAddress(toTxAddress.raw);
      return pn.joinToTxAddress({ address, destinationTag: destinationTag ?? '7' });
    }
    case pn.WithdrawalStatus.FAILED: {
      const failed: pn.WithdrawalFailed = withdrawal;
      return failed.toTxAddress?.address ?? failed.clientWithdrawalId;
    }
    case 'BLOCKED': {
      const { txAddressOwner }: pn.WithdrawalBlocked = withdrawal;
      const owner: pn.TxAddressOwner | null = txAddressOwner;
      return owner?.additionalFields.country === undefined ? 'here' : 'abroad';
    }
    default:
      return never(withdrawal);
  }
}

function never(value: never): never {
  throw new Error(`not handled: ${value}`);
}

/** A library exports a parser: its declarations must be able to name the type. */
export const parsers = { parse: pn.parseDepositReceived, safeParse: pn.safeParseNotification };

export function quirksOf(body: Uint8Array, as?: pn.NotificationType): QuirkCode[] {
  const inspection: Inspection = inspectBody(body, { as });
  return inspection.fields.flatMap(({ quirks }) => quirks.map(({ code }) => code));
}
