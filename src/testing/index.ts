export type {
  AttemptOptions,
  DeliveryOutcome,
  DeliveryRequest,
  EndpointResponse,
} from './attempt.js';
export {
  type BodyOptions,
  type DepositReceivedOverrides,
  depositReceivedBody,
  type WithdrawalBroadcastOverrides,
  withdrawalBroadcastBody,
} from './bodies.js';
export {
  DEPOSIT_RETRY,
  type DeliverOptions,
  type Delivery,
  type DeliveryAttempt,
  deliver,
  type RetryPolicy,
} from './deliver.js';
export { type FaultyBody, faultyBodies } from './faults.js';
export type { DatabasePart, HandlerAmount, HandlerTestsOptions } from './handler/options.js';
export { type HandlerTest, handlerTests } from './handler/tests.js';
export { type BodyVariant, bodyVariants } from './variants.js';
