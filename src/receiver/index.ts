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

type Settle<T> = (notification: T, context: DeliveryContext) => Promise<MaybeAnswer>;

/**
 * The functions of a receiver. It answers when their promises resolve: with what they return, 200 `ok` by default.
 *
 * For an endpoint that receives only one type of notification, omit the other type's function. The receiver then refuses that type.
 */
export interface ReceiverOptions {
  /** Settles a deposit. It is called for every delivery, so insert the key and credit the amount in one transaction. */
  readonly onDepositReceived?: Settle<DepositReceived> | undefined;
  /** Settles a withdrawal. It is called for every delivery, so insert the key and debit the amount in one transaction. */
  readonly onWithdrawalBroadcast?: Settle<WithdrawalBroadcast> | undefined;
  /** Stores a refused body for review. Default answer: 400 and the issue codes. A body over 64 KiB is answered with 413 instead. */
  readonly onRefused: (error: NotificationError, body: Uint8Array) => Promise<MaybeAnswer>;
  /**
   * Reports an error, after which the answer is 500: one of the functions above has thrown, or the body could not be read and is null.
   *
   * Store the body here. The service repeats a deposit, but maybe not a withdrawal. Default: `console.error`.
   */
  readonly onError?: ((error: unknown, body: Uint8Array | null) => Promise<void>) | undefined;
  /** Logs a line, such as a notification's warning. If it throws, the answer is the same. Default: `console.warn`. */
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
  if (!options?.onDepositReceived && !options?.onWithdrawalBroadcast) {
    throw new TypeError(
      'options: expected onDepositReceived or onWithdrawalBroadcast, received neither',
    );
  }
  if (!options.onRefused) throw new TypeError('options: expected onRefused, received none');

  const parse = !options.onWithdrawalBroadcast
    ? safeParseDepositReceived
    : !options.onDepositReceived
      ? safeParseWithdrawalBroadcast
      : safeParseNotification;

  // Called as methods, because the options may be an object of a class.
  const settle = (notification: PaymentNotification, context: DeliveryContext) =>
    notification.type === 'deposit.received'
      ? options.onDepositReceived?.(notification, context)
      : options.onWithdrawalBroadcast?.(notification, context);
  const report = (error: unknown, body: Uint8Array | null) =>
    attempt(error, () => (options.onError ? options.onError(error, body) : console.error(error)));
  const warn = (line: string) =>
    attempt(line, () => (options.warn ? options.warn(line) : console.warn(line)));

  const answerTo = async (body: Uint8Array): Promise<ReceiverAnswer> => {
    const { notification, error } = parse(body);
    if (error) {
      const codes = error.issues.map(({ code }) => code);
      if (codes[0] === 'body_too_large') {
        warn(`body: expected at most ${MAX_BYTES} bytes, received more`);
        return { status: 413, text: 'body_too_large' };
      }
      return (await options.onRefused(error, body)) ?? { status: 400, text: codes.join(', ') };
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
      await report(error, body);
      return { status: 500, text: 'failed' };
    }
  };

  return {
    receive: (body) => answer(async () => bytesOf(body)),
    fetch: async (request) => toResponse(await answer(() => readWebBody(request))),
    node: async (request, response) =>
      sendNode(response, await answer(() => readNodeBody(request))),
  };
}

/** Reports something. If that fails, prints both. Never rejects, so that the answer doesn't depend on a logger. */
async function attempt(subject: unknown, report: () => unknown): Promise<void> {
  try {
    await report();
  } catch (error) {
    const print = async () => console.error(subject, error);
    await print().catch(() => console.error('receiver: an error that throws when printed'));
  }
}
