import type { DepositReceived } from '../deposit-received.js';
import type { NotificationError, NotificationIssue } from '../errors.js';
import { reportOrPrint } from '../internal/report-or-print.js';
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
import { createCheck } from './secret.js';
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

/** What a receiver passes along with an error. */
export interface FailureContext {
  /** The event's `idempotencyKey`; null if the body was refused or not read. */
  readonly key: string | null;
  /** The raw body; null if it was not read. */
  readonly body: Uint8Array | null;
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
  /**
   * The last segment of the callback URL's path: at least 16 characters that only you and the service know. Any other
   * URL is answered with 404, unread. Null if something in front of the receiver checks who calls.
   */
  readonly secret: string | null | undefined;
  /** Settles a deposit. It is called for every delivery, so insert the key and credit the amount in one transaction. */
  readonly onDepositReceived?: Settle<DepositReceived> | undefined;
  /** Settles a withdrawal. It is called for every delivery, so insert the key and debit the amount in one transaction. */
  readonly onWithdrawalBroadcast?: Settle<WithdrawalBroadcast> | undefined;
  /**
   * Stores a refused body for review. Default answer: the issue codes, and 400, or 413 for a body over 64 KiB. Of such
   * a body, it gets only the start.
   */
  readonly onRefused: (
    error: NotificationError,
    context: Pick<DeliveryContext, 'body'>,
  ) => Promise<MaybeAnswer>;
  /**
   * Reports an error, after which the answer is 500: one of the functions above has thrown, or the body could not be read.
   *
   * Save the body here. The service repeats a deposit, but maybe not a withdrawal.
   */
  readonly onError: (error: unknown, context: FailureContext) => Promise<void>;
  /** Logs or counts a warning. If it throws, the answer is the same. Default: `console.warn`. */
  readonly onWarning?: ((issue: NotificationIssue, context: DeliveryContext) => void) | undefined;
}

/** An endpoint for callbacks. Its functions accept any method and headers, never reject, and don't use `this`. */
export interface Receiver {
  /** Receives a raw body, for platforms such as AWS Lambda, and the URL that was called, or its path. */
  readonly receive: (body: RawBody, url: string) => Promise<ReceiverAnswer>;
  /** Receives a web standard `Request`, for Hono, Next.js, h3, Cloudflare Workers, Bun and Deno. */
  readonly fetch: (request: WebRequest) => Promise<WebResponse>;
  /** Receives a request of Node.js, for Express, Fastify, Koa, NestJS and `node:http`. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /** Receives a raw body that you kept, in a spool or a queue, without a URL. A parsed body is answered with 500. */
  readonly settle: (body: RawBody) => Promise<ReceiverAnswer>;
}

/**
 * Creates an endpoint that reads a raw body, parses it, passes the notification on, and answers.
 *
 * @throws TypeError if neither type of notification has a function, `onRefused` or `onError` is missing, or `secret` is
 * undefined or too short.
 *
 * @example
 * ```ts
 * const receiver = createReceiver({
 *   secret: process.env.CALLBACK_SECRET,
 *   onDepositReceived: async (deposit, { key }) => credit(key, deposit),
 *   onRefused: async (error, { body }) => keep(error, body),
 *   onError: async (error, { key, body }) => save(error, key, body),
 * });
 * app.all('/callbacks/:secret', receiver.node); // Express, above any express.json()
 * ```
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  if (!options?.onDepositReceived && !options?.onWithdrawalBroadcast) {
    throw new TypeError(
      'options: expected onDepositReceived or onWithdrawalBroadcast, received neither',
    );
  }
  for (const name of ['onRefused', 'onError'] as const) {
    if (!options[name]) throw new TypeError(`options: expected ${name}, received none`);
  }
  const isOurs = createCheck(options.secret);

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
  const warn = (issue: NotificationIssue, context: DeliveryContext) => {
    const line = `${context.key}: ${issue.message}`;
    const report = () =>
      options.onWarning ? options.onWarning(issue, context) : console.warn(line);
    reportOrPrint(report, line);
  };

  /** @param read - Returns false for a URL that is not ours. */
  const answer = async (
    read: () => Uint8Array | false | Promise<Uint8Array>,
  ): Promise<ReceiverAnswer> => {
    let key: string | null = null;
    let body: Uint8Array | null = null;
    try {
      const bytes = await read();
      if (!bytes) return { status: 404, text: 'not found' };
      body = bytes;
      const { notification, error } = parse(body);
      if (error) {
        const codes = error.issues.map(({ code }) => code);
        const status = codes[0] === 'body_too_large' ? 413 : 400;
        const refused = await options.onRefused(error, { body });
        return checkAnswer(refused ?? { status, text: codes.join(', ') });
      }
      key = idempotencyKey(notification);
      const context = { key, body };
      for (const warning of notification.warnings) warn(warning, context);
      return checkAnswer((await settle(notification, context)) ?? { status: 200, text: 'ok' });
    } catch (error) {
      const context = { key, body };
      await reportOrPrint(() => options.onError(error, context), key, error);
      return { status: 500, text: 'failed' };
    }
  };

  return {
    receive: (body, url) => answer(() => isOurs(url) && bytesOf(body)),
    fetch: async (request) =>
      toResponse(await answer(() => isOurs(request.url) && readWebBody(request))),
    node: async (request, response) => {
      const read = () => isOurs(request.originalUrl ?? request.url) && readNodeBody(request);
      sendNode(response, await answer(read));
    },
    settle: (body) => answer(() => bytesOf(body)),
  };
}
