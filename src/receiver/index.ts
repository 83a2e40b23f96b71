import type { DepositReceived } from '../deposit-received.js';
import type { NotificationError } from '../errors.js';
import { MAX_BYTES } from '../internal/body.js';
import { idempotencyKey, type PaymentNotification } from '../notification.js';
import {
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parse.js';
import type { WithdrawalBroadcast } from '../withdrawal-broadcast.js';
import { checkAnswer, type ReceiverAnswer } from './answer.js';
import { bytesOf } from './bytes.js';
import { type NodeRequest, type NodeResponse, readNodeBody, sendNode } from './node.js';
import { readWebBody, toResponse, type WebRequest, type WebResponse } from './web.js';

export type { ReceiverAnswer } from './answer.js';
export type { NodeRequest, NodeResponse } from './node.js';
export type { WebRequest, WebResponse } from './web.js';

/** What a receiver passes along with a notification. */
export interface DeliveryContext {
  /** The event's `idempotencyKey`: the same for every delivery. */
  readonly key: string;
  /** The raw body. Drivers that need a `Buffer` take `Buffer.from(body)`. */
  readonly body: Uint8Array;
}

// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing has type Promise<void>.
type MaybeAnswer = ReceiverAnswer | void;

/**
 * The functions of a receiver. It awaits each of them before it answers.
 *
 * For an endpoint that receives only one type of notification, omit the other type's function. The receiver then refuses that type.
 */
export interface ReceiverOptions {
  /**
   * Settles a deposit. It is called for every delivery, so insert the key and credit the amount in one transaction.
   *
   * @returns An answer other than 200 `ok`.
   */
  readonly onDepositReceived?:
    | ((deposit: DepositReceived, context: DeliveryContext) => Promise<MaybeAnswer>)
    | undefined;
  /**
   * Settles a withdrawal. It is called for every delivery, so insert the key and debit the amount in one transaction.
   *
   * @returns An answer other than 200 `ok`.
   */
  readonly onWithdrawalBroadcast?:
    | ((withdrawal: WithdrawalBroadcast, context: DeliveryContext) => Promise<MaybeAnswer>)
    | undefined;
  /**
   * Stores a refused body for review. A body over 64 KiB is not passed to it, but answered with 413.
   *
   * @returns An answer other than 400 with the issue codes.
   */
  readonly onRefused: (error: NotificationError, body: Uint8Array) => Promise<MaybeAnswer>;
  /**
   * Reports an error, after which the answer is 500: one of the functions above has thrown, or the body could not be read and is null.
   *
   * Store the body here. The service repeats a deposit, but maybe not a withdrawal. By default, the receiver prints the error.
   */
  readonly onError?: ((error: unknown, body: Uint8Array | null) => Promise<void>) | undefined;
  /** Logs a line, such as a notification's warning. Default: `console.warn`. */
  readonly warn?: ((line: string) => void) | undefined;
}

/** An endpoint for callbacks. Its functions accept any method and headers, never reject, and don't use `this`. */
export interface Receiver {
  /** Receives a raw body, for platforms such as AWS Lambda. A parsed body is answered with 500. */
  readonly receive: (body: RawBody) => Promise<ReceiverAnswer>;
  /** Receives a web standard `Request`, for Hono, Next.js, h3, Cloudflare Workers, Bun and Deno. */
  readonly fetch: (request: WebRequest) => Promise<WebResponse>;
  /** Receives a request of Node.js, for Express, Fastify, Koa, NestJS and `node:http`. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
}

/**
 * Creates an endpoint that reads a raw body, parses it, passes the notification on, and answers.
 *
 * @throws TypeError if neither type of notification has a function, or `onRefused` is missing.
 *
 * @example
 * ```ts
 * const receiver = createReceiver({
 *   onDepositReceived: async (deposit, { key }) => credit(key, deposit),
 *   onRefused: async (error, body) => keep(error, body),
 * });
 * app.all('/callbacks', receiver.node); // Express, above any express.json()
 * ```
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { onDepositReceived, onWithdrawalBroadcast, onRefused } = options;
  const { onError = async (error) => console.error(error), warn = console.warn } = options;
  if (!onDepositReceived && !onWithdrawalBroadcast) {
    throw new TypeError('options: expected onDepositReceived or onWithdrawalBroadcast');
  }
  if (!onRefused) throw new TypeError('options: expected onRefused');

  const parse = !onWithdrawalBroadcast
    ? safeParseDepositReceived
    : !onDepositReceived
      ? safeParseWithdrawalBroadcast
      : safeParseNotification;

  const settle = (notification: PaymentNotification, context: DeliveryContext) =>
    notification.type === 'deposit.received'
      ? onDepositReceived?.(notification, context)
      : onWithdrawalBroadcast?.(notification, context);

  const answerTo = async (body: Uint8Array): Promise<ReceiverAnswer> => {
    const { notification, error } = parse(body);
    if (error) {
      const codes = error.issues.map(({ code }) => code);
      if (codes[0] === 'body_too_large') {
        warn(`body: expected at most ${MAX_BYTES} bytes, received more`);
        return { status: 413, text: 'body_too_large' };
      }
      return (await onRefused(error, body)) ?? { status: 400, text: codes.join(', ') };
    }
    const key = idempotencyKey(notification);
    for (const { message } of notification.warnings) warn(`${key}: ${message}`);
    return (await settle(notification, { key, body })) ?? { status: 200, text: 'ok' };
  };

  const answer = async (read: () => Promise<Uint8Array>): Promise<ReceiverAnswer> => {
    let body: Uint8Array | null = null;
    try {
      body = await read();
      return checkAnswer(await answerTo(body));
    } catch (error) {
      try {
        await onError(error, body);
      } catch (another) {
        console.error(another);
      }
      return { status: 500, text: 'failed' };
    }
  };

  return {
    receive: (body) => answer(async () => bytesOf(body)),
    fetch: async (request) => toResponse(await answer(() => readWebBody(request, MAX_BYTES))),
    node: async (request, response) =>
      sendNode(response, await answer(() => readNodeBody(request, MAX_BYTES))),
  };
}
