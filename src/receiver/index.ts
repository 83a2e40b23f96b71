import type { DepositReceived } from '../deposit-received.js';
import type { NotificationError, NotificationIssue } from '../errors.js';
import { describe } from '../internal/quote.js';
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
import { reportOrPrint } from './report-or-print.js';
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

// biome-ignore lint/suspicious/noConfusingVoidType: async functions may return Promise<void>.
type MaybeAnswer = ReceiverAnswer | void;

type Settle<T> = (notification: T, context: DeliveryContext) => Promise<MaybeAnswer>;

/**
 * The secret and the functions of a receiver. It answers when a function's promise resolves: with
 * what that returns, 200 `ok` by default.
 *
 * For an endpoint that receives only one type of notification, omit the other type's function. The
 * receiver then refuses that type.
 */
export interface ReceiverOptions {
  /**
   * The last segment of the callback URL's path, which only you and the service know: at least 16
   * letters, digits or any of `-._~`. While you change it, a list of the old one and the new one.
   *
   * Any other URL is answered with 404, and its body isn't read. A query and one trailing slash are
   * ignored. Pass null if something in front of the receiver checks who calls.
   */
  readonly secret: string | readonly string[] | null | undefined;
  /**
   * Settles a deposit. It is called for every delivery, so insert the key and credit the amount in
   * one transaction.
   */
  readonly onDepositReceived?: Settle<DepositReceived> | undefined;
  /**
   * Settles a withdrawal. It is called for every delivery, so insert the key and debit the amount
   * in one transaction.
   */
  readonly onWithdrawalBroadcast?: Settle<WithdrawalBroadcast> | undefined;
  /**
   * Stores a refused body for review. Default answer: 400 and the issue codes.
   *
   * A body over 64 KiB is answered with 413. Of such a body, it gets only the start.
   */
  readonly onRefused: (
    error: NotificationError,
    context: Pick<DeliveryContext, 'body'>,
  ) => Promise<MaybeAnswer>;
  /**
   * Reports an error, after which the answer is 500: one of the functions above has thrown, or the
   * body could not be read.
   *
   * Save the body here. The service repeats a deposit, but maybe not a withdrawal.
   */
  readonly onError: (error: unknown, context: FailureContext) => Promise<void>;
  /** Logs or counts a warning. If it throws, the answer is the same. Default: `console.warn`. */
  readonly onWarning?: ((issue: NotificationIssue, context: DeliveryContext) => void) | undefined;
}

/**
 * An endpoint for callbacks. Its functions accept any method and headers, never reject, and don't
 * use `this`.
 */
export interface Receiver {
  /**
   * Receives a raw body, for platforms such as AWS Lambda.
   *
   * @param url - The URL that was called, or its path.
   */
  readonly receive: (body: RawBody, url: string) => Promise<ReceiverAnswer>;
  /** Receives a web standard `Request`, for Hono, Next.js, h3, Cloudflare Workers, Bun and Deno. */
  readonly fetch: (request: WebRequest) => Promise<WebResponse>;
  /** Receives a request of Node.js, for Express, Fastify, Koa, NestJS and `node:http`. */
  readonly node: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /**
   * Receives a raw body that you saved, in a spool or a queue. It has no URL, so nothing checks the
   * secret: don't call it for a request.
   */
  readonly settle: (body: RawBody) => Promise<ReceiverAnswer>;
  /**
   * Waits until no body is in progress: each is settled, was refused, or was passed to `onError`.
   *
   * Call it before the process ends, after the server has closed. Closed connections are not
   * enough: a sender that gave up leaves none, but its body may still be on its way to your
   * database.
   */
  readonly idle: () => Promise<void>;
}

const FUNCTIONS = [
  'onDepositReceived',
  'onWithdrawalBroadcast',
  'onRefused',
  'onError',
  'onWarning',
] as const;

/**
 * Creates an endpoint that checks who calls, reads a raw body, parses it, passes the notification
 * on, and answers.
 *
 * @throws TypeError if `secret` is missing or too short, neither type of notification has a
 * function, `onRefused` or `onError` is missing, or one of them is not a function.
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
  for (const name of FUNCTIONS) {
    const given: unknown = options[name];
    if (given !== undefined && typeof given !== 'function') {
      throw new TypeError(`${name}: expected a function, received ${describe(given)}`);
    }
  }
  const isOurs = createCheck(options.secret);
  const parse = parserOf(options);

  /** @param read - Returns false if the URL is not ours. */
  const answerBody = async (
    read: () => Uint8Array | false | Promise<Uint8Array>,
  ): Promise<ReceiverAnswer> => {
    let key: string | null = null;
    let body: Uint8Array | null = null;
    try {
      const bytes = await read();
      if (!bytes) return { status: 404, text: 'not found' };
      body = bytes;
      const result = parse(body);
      if (!result.success) return await refuse(options, result.error, body);
      key = idempotencyKey(result.notification);
      const context = { key, body };
      for (const warning of result.notification.warnings) warn(options, warning, context);
      const settled = await settle(options, result.notification, context);
      return checkAnswer(settled ?? { status: 200, text: 'ok' });
    } catch (error) {
      const context = { key, body };
      await reportOrPrint(() => options.onError(error, context), key, error);
      return { status: 500, text: 'failed' };
    }
  };

  const inProgress = new Set<Promise<ReceiverAnswer>>();
  const answer: typeof answerBody = async (read) => {
    const answered = answerBody(read);
    inProgress.add(answered);
    await answered; // it never rejects
    inProgress.delete(answered);
    return answered;
  };

  return {
    receive: (body, url) => answer(() => isOurs(url) && bytesOf(body)),
    fetch: async (request) =>
      toResponse(await answer(() => isOurs(request.url) && readWebBody(request))),
    node: async (request, response) => {
      const sent = await answer(
        () => isOurs(request.originalUrl ?? request.url) && readNodeBody(request),
      );
      // A response that other middleware has changed may throw.
      await reportOrPrint(
        () => sendNode(response, sent),
        'payment-notifications: no answer was sent',
      );
    },
    settle: (body) => answer(() => bytesOf(body)),
    idle: async () => {
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

function parserOf(options: ReceiverOptions) {
  if (!options.onWithdrawalBroadcast) return safeParseDepositReceived;
  if (!options.onDepositReceived) return safeParseWithdrawalBroadcast;
  return safeParseNotification;
}

// The functions are called as methods of the options, which may be an object of a class.

async function settle(
  options: ReceiverOptions,
  notification: PaymentNotification,
  context: DeliveryContext,
): Promise<MaybeAnswer> {
  if (notification.type === 'deposit.received') {
    if (options.onDepositReceived) return options.onDepositReceived(notification, context);
  } else if (options.onWithdrawalBroadcast) {
    return options.onWithdrawalBroadcast(notification, context);
  }
  // Without the function at creation, the parser would have refused the body.
  throw new TypeError(
    `options: expected a function for ${notification.type}, received none. It was removed after createReceiver()`,
  );
}

async function refuse(
  options: ReceiverOptions,
  error: NotificationError,
  body: Uint8Array,
): Promise<ReceiverAnswer> {
  const codes = error.issues.map(({ code }) => code);
  const status = codes[0] === 'body_too_large' ? 413 : 400;
  return checkAnswer(
    (await options.onRefused(error, { body })) ?? { status, text: codes.join(', ') },
  );
}

function warn(options: ReceiverOptions, issue: NotificationIssue, context: DeliveryContext): void {
  const line = `${context.key}: ${issue.message}`;
  const report = () => (options.onWarning ? options.onWarning(issue, context) : console.warn(line));
  reportOrPrint(report, line); // not awaited, because no answer depends on a logger
}
