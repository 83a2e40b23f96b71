import type { DepositReceived } from '../deposit-received.js';
import type { NotificationType } from '../errors.js';
import type { WithdrawalBroadcast } from '../withdrawal-broadcast.js';

/** The encoding of a field: an amount as a JSON number or string, text, a UNIX time, the owner object. */
export type Encoding = 'number' | 'string' | 'text' | 'time' | 'owner';

/** One field of a body as the service sends it. */
export interface SampleField {
  readonly as: Encoding;
  /** The value's digits or text; null for JSON null; undefined for a field that is not sent. */
  readonly value: string | null | undefined;
}

/** A whole body as the service sends it, in the order in which it sends the fields. */
export type Sample<Field extends string = string> = Readonly<Record<Field, SampleField>>;

/** The names that a deposit has on the wire. */
export type DepositReceivedField = Exclude<
  keyof DepositReceived,
  'type' | 'additionalFields' | 'warnings'
>;

/** The names that a withdrawal has on the wire, both spellings of one of them included. */
export type WithdrawalBroadcastField =
  | Exclude<keyof WithdrawalBroadcast, 'type' | 'additionalFields' | 'warnings'>
  | 'deducedSettlementAmount';

const number = (value: string): SampleField => ({ as: 'number', value });
const string = (value: string | null | undefined): SampleField => ({ as: 'string', value });
const text = (value: string): SampleField => ({ as: 'text', value });
const time = (value: string): SampleField => ({ as: 'time', value });

/** Null in the sample; the field table types it as a number. */
const NO_LOSS: SampleField = { as: 'number', value: null };

/**
 * A deposit in the encodings of the documentation's sample: amounts as numbers, the distributed
 * fees as strings, the depeg losses null. The values are ours.
 */
export const DEPOSIT_SAMPLE: Sample<DepositReceivedField> = {
  actualDepositAmount: number('0.01523'),
  actualDisplayAmount: number('950.25'),
  clientPaymentId: text('order-10042'),
  depositAddress: text('bc1qexampledepositaddress0000000000000000'),
  depositCurrency: text('BTC'),
  depositId: text('0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11'),
  displayCurrency: text('EUR'),
  displayServiceFee: number('4.75'),
  expectedDepositAmount: number('0.01523'),
  expectedDisplayAmount: number('950.25'),
  network: text('BITCOIN'),
  expirationTime: time('1790003600'),
  onChainFee: number('0.00001234'),
  paymentId: text('6f9619ff-8b86-4d01-b42d-00cf4fc964ff'),
  paymentReceivedAt: time('1790001260'),
  paymentRequestedAt: time('1790000000'),
  rateType: text('FIXED'),
  settlementAmount: number('950.25'),
  settlementCurrency: text('EUR'),
  settlementServiceFee: number('4.75'),
  status: text('CONFIRMED'),
  fromAddress: text('bc1qexamplesenderaddress00000000000000000'),
  transactionId: text('c0ffee254729296a45a3885639ac7e10f9d54979e0f3d1e2b4c5a69788776655'),
  displayRateDepegLossAmount: NO_LOSS,
  settlementRateDepegLossAmount: NO_LOSS,
  settlementDistributedUserServiceFee: string('0.95'),
  displayDistributedUserServiceFee: string('0.95'),
};

/**
 * A completed withdrawal in the encodings of the documentation's sample: amounts as strings of 8
 * fractional digits, the depeg losses of 2. The values are ours.
 */
export const WITHDRAWAL_SAMPLE: Sample<WithdrawalBroadcastField> = {
  status: text('COMPLETED'),
  clientWithdrawalId: text('payout-7731'),
  businessId: text('9c858901-8a57-4791-81fe-4c455b099bc9'),
  withdrawalId: text('3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44'),
  displayCurrency: text('USD'),
  withdrawCurrency: text('XRP'),
  settlementCurrency: text('USDT'),
  expectedDisplayAmount: string('250.00000000'),
  actualDisplayAmount: string('249.98000000'),
  estimatedWithdrawAmount: string('480.76923077'),
  actualWithdrawAmount: string('480.73000000'),
  deductedSettlementAmount: string('250.31000000'),
  deducedSettlementAmount: string(undefined),
  withdrawFee: string('0.00001200'),
  displayFee: string('0.00000624'),
  displayRateDepegLossAmount: string('0.12'),
  settlementRateDepegLossAmount: string('0.13'),
  toTxAddress: text('rExampleXrpAddress111111111111111?dt=48291'),
  transactionId: text('C0FFEE254729296A45A3885639AC7E10F9D54979E0F3D1E2B4C5A69788776655'),
  txAddressOwner: { as: 'owner', value: '{"name":"Example Exchange","category":"exchange"}' },
};

/** The samples by what they are: every documented field, and how it is encoded. */
export const SAMPLES: Readonly<Record<NotificationType, Sample>> = {
  'deposit.received': DEPOSIT_SAMPLE,
  'withdrawal.broadcast': WITHDRAWAL_SAMPLE,
};

/**
 * A withdrawal that did not complete, without the fields that say what moved. Which fields such a
 * body has is undocumented; these are the ones that the documentation does not require.
 */
export const NOT_COMPLETED_WITHDRAWAL_SAMPLE: Sample<WithdrawalBroadcastField> = {
  ...WITHDRAWAL_SAMPLE,
  actualDisplayAmount: string(undefined),
  actualWithdrawAmount: string(undefined),
  deductedSettlementAmount: string(undefined),
  withdrawFee: string(undefined),
  displayFee: string(undefined),
  displayRateDepegLossAmount: string(undefined),
  settlementRateDepegLossAmount: string(undefined),
  transactionId: { as: 'text', value: undefined },
};

/** The two names of one amount: of the documentation's sample body, and of its field table. */
export const DEDUCTED = 'deductedSettlementAmount';
export const DEDUCED = 'deducedSettlementAmount';
