export {
  type BodyOptions,
  type DepositReceivedOverrides,
  depositReceivedBody,
  type WithdrawalBroadcastOverrides,
  withdrawalBroadcastBody,
} from './bodies.js';
export {
  type DeliverOptions,
  type DeliveryAttempt,
  type DeliveryRequest,
  type DeliveryResult,
  deliver,
  type EndpointResponse,
} from './deliver.js';
export { type FaultyBody, faultyBodies } from './faults.js';
export type { DatabasePart, HandlerAmount, HandlerTestsOptions } from './handler/options.js';
export { type HandlerTest, handlerTests } from './handler/tests.js';
export { type BodyVariant, bodyVariants } from './variants.js';
