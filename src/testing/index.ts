export type { Answer, AttemptOptions, DeliveryRequest, Fetch, Outcome } from './attempt.js';
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
  type AttemptFacts,
  DEPOSIT_RETRY,
  type DeliverOptions,
  type Delivery,
  deliver,
  type RetryPolicy,
} from './deliver.js';
export { type BodyVariant, bodyVariants } from './variants.js';
