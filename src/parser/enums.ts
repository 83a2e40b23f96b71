// In a separate file, so that a page that imports one of these doesn't load the parser.

/** The statuses of a deposit. The service documents only one. */
export const DepositStatus = {
  /** The deposit's transaction is in a block and has 1 confirmation. */
  CONFIRMED: 'CONFIRMED',
} as const;
/** The status of a deposit: `'CONFIRMED'`. */
export type DepositStatus = (typeof DepositStatus)[keyof typeof DepositStatus];

/**
 * The rate types. Which one a deposit has depends on the payment's rate type, and on the time frame
 * in which the end-user created the deposit.
 */
export const RateType = {
  FIXED: 'FIXED',
  FLOATING: 'FLOATING',
} as const;
/** A rate type, such as `'FIXED'`. */
export type RateType = (typeof RateType)[keyof typeof RateType];

/** The statuses of a withdrawal. The service doesn't document when one fails or is blocked. */
export const WithdrawalStatus = {
  COMPLETED: 'COMPLETED',
  FAILED: 'FAILED',
  BLOCKED: 'BLOCKED',
} as const;
/** How the withdrawal ended. */
export type WithdrawalStatus = (typeof WithdrawalStatus)[keyof typeof WithdrawalStatus];
