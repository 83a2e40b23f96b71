export type { Answer, DeliveryRequest, Fetch } from './attempt.js';
export {
  type BodyOptions,
  type DepositReceivedOverrides,
  depositReceivedBody,
  type WithdrawalBroadcastOverrides,
  withdrawalBroadcastBody,
} from './bodies.js';
export { type Clock, type MinimalSignal, type Signal, virtualClock } from './clock.js';
export {
  type Attempt,
  DEPOSIT_RETRY,
  type DeliverOptions,
  type Delivery,
  deliver,
  type RetryPolicy,
} from './deliver.js';
export { type BodyVariant, bodyVariants } from './variants.js';
