import type { NotificationIssue } from '../parser/errors.js';
import { idempotencyKey, type PaymentNotification } from '../parser/notification.js';
import {
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parser/parse.js';
import { within } from '../shared/deadline.js';
import { reportOrPrint } from '../shared/reports.js';
import { answerOf, type ReceiverAnswer, refusalOf } from './answer.js';
import { bytesOf } from './bytes.js';
import { type NodeRequest, type NodeResponse, readNodeBody, sendNode } from './node.js';
import { checkOptions, type DeliveryContext, type ReceiverOptions } from './options.js';
import { createCheck, createMissReport } from './secret.js';
import { readWebBody, toResponse, type WebRequest, type WebResponse } from './web.js';

export type { ReceiverAnswer } from './answer.js';
export type { NodeRequest, NodeResponse } from './node.js';
export type { DeliveryContext, FailureContext, ReceiverOptions } from './options.js';
export type { WebRequest, WebResponse } from './web.js';

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
  /**
   * Receives a request of Node.js, for Express, Fastify, Koa, NestJS and `node:http`. To wait for
   * the answers, call `idle`.
   */
  readonly node: (request: NodeRequest, response: NodeResponse) => void;
  /**
   * Receives a raw body that you saved, in a spool or a queue. It has no URL, so nothing checks the
   * secret: don't call it for a request.
   */
  readonly settle: (body: RawBody) => Promise<ReceiverAnswer>;
  /**
   * Waits until no body is in progress: each is settled, was refused, or was passed to `onError`.
   * That takes `timeoutMs` and five seconds at most.
   *
   * Call it before the process ends, after the server has closed. Closed connections are not
   * enough: a sender that gave up leaves none, but its body may still be on its way to your
   * database.
   */
  readonly idle: () => Promise<void>;
}

const OK: ReceiverAnswer = { status: 200, text: 'ok' };
const FAILED: ReceiverAnswer = { status: 500, text: 'failed' };
const NOT_FOUND: ReceiverAnswer = { status: 404, text: 'not found' };
/** For link previews, and someone who opens the URL. */
const PURPOSE: ReceiverAnswer = {
  status: 400,
  text: 'This URL receives callbacks of the payment service. Each of them has a body.',
};

const FUNCTION_OF = {
  'deposit.received': 'onDepositReceived',
  'withdrawal.broadcast': 'onWithdrawalBroadcast',
} as const;

/** How long `onError` may take, in milliseconds. A process that stops waits for it. */
const MAX_REPORTING = 5000;

/** A body that asks for an answer. */
interface Incoming {
  /** Whether the URL ends with the secret. Otherwise, nothing is read. */
  readonly isOurs: boolean;
  readonly method?: string | undefined;
  readonly read: () => Uint8Array | Promise<Uint8Array>;
}

/** What is known of a body in progress. */
interface Progress {
  key: string | null;
  body: Uint8Array | null;
  /** What is waited for. */
  step: 'body' | 'onRefused' | (typeof FUNCTION_OF)[PaymentNotification['type']];
  isLate: boolean;
}

/**
 * Creates an endpoint that checks who calls, reads a raw body, parses it, passes the notification
 * on, and answers.
 *
 * @throws TypeError if `secret` is missing or too short, neither type of notification has a
 * function, `onRefused` or `onError` is missing, one of them is not a function, or a key such as
 * `onDeposit` would be ignored.
 * @throws RangeError if `setTimeout` can't wait for `timeoutMs`.
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
  checkOptions(options);
  const { timeoutMs = 25_000 } = options;
  const isOurs = createCheck(options.secret);
  const reportMiss = createMissReport();
  const parse = parserOf(options);
  const inProgress = new Set<Promise<ReceiverAnswer>>();
  /**
   * Bodies whose function still runs after its deadline. If repeats of their events were passed on,
   * one locked account would soon take all connections to the database.
   */
  const late = new Set<Progress>();

  function answer(open: () => Incoming): Promise<ReceiverAnswer> {
    const answered = answerOrReport(open); // never rejects
    inProgress.add(answered);
    answered.then(() => inProgress.delete(answered));
    return answered;
  }

  async function answerOrReport(open: () => Incoming): Promise<ReceiverAnswer> {
    const progress: Progress = { key: null, body: null, step: 'body', isLate: false };
    let sent = FAILED;
    let error: unknown;
    try {
      const incoming = open();
      if (!incoming.isOurs) {
        if (!isVisit(incoming)) reportMiss();
        return NOT_FOUND;
      }
      const passed = passOn(incoming, progress);
      sent = await within(timeoutMs, passed, () => giveUp(passed, progress));
      if (sent.status < 500) return sent;
      error = new Error(`${progress.step}: returned the status ${sent.status}`);
    } catch (thrown) {
      error = thrown;
    }
    const { key, body } = progress;
    const report = async () => options.onError(error, { key, body });
    await reportOrPrint(() => within(MAX_REPORTING, report(), () => 'onError'), key, error);
    return sent;
  }

  async function passOn(incoming: Incoming, progress: Progress): Promise<ReceiverAnswer> {
    const body = await incoming.read();
    if (progress.isLate) return FAILED; // as `onError` was told
    progress.body = body;
    if (body.length === 0 && isVisit(incoming)) return PURPOSE;
    const { success, error, notification } = parse(body);
    if (!success) {
      progress.step = 'onRefused';
      return answerOf('onRefused', await options.onRefused(error, { body }), refusalOf(error));
    }
    const context = { key: idempotencyKey(notification), body };
    progress.key = context.key;
    for (const warning of notification.warnings) warn(options, warning, context);
    progress.step = FUNCTION_OF[notification.type];
    for (const { key } of late) {
      if (key === context.key) throw new Error(`${progress.step}: an earlier call has not ended`);
    }
    return answerOf(progress.step, await settle(options, notification, context), OK);
  }

  /** Follows a function that is late, whose error would be lost. */
  function giveUp(passed: Promise<ReceiverAnswer>, progress: Progress): string {
    progress.isLate = true;
    if (progress.body !== null) {
      late.add(progress);
      const what = `${progress.step} failed after its deadline`;
      reportOrPrint(() => passed, progress.key, what).then(() => late.delete(progress));
    }
    return progress.step;
  }

  return {
    receive: (body, url) => answer(() => ({ isOurs: isOurs(url), read: () => bytesOf(body) })),
    fetch: async (request) => {
      const sent = await answer(() => ({
        isOurs: isOurs(request.url),
        method: request.method,
        read: () => readWebBody(request),
      }));
      return toResponse(sent);
    },
    node: async (request, response) => {
      const sent = await answer(() => ({
        isOurs: isOurs(request.originalUrl ?? request.url),
        method: request.method,
        read: () => readNodeBody(request),
      }));
      // A response that other middleware has changed may throw.
      await reportOrPrint(
        () => sendNode(response, sent),
        'payment-notifications: no answer was sent',
      );
    },
    settle: (body) => answer(() => ({ isOurs: true, read: () => bytesOf(body) })),
    idle: async () => {
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

/** Whether a browser may have sent a request. With a body, it may be a callback nevertheless. */
function isVisit({ method }: Incoming): boolean {
  return method === 'GET' || method === 'HEAD';
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
): Promise<unknown> {
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

function warn(options: ReceiverOptions, issue: NotificationIssue, context: DeliveryContext): void {
  const line = `${context.key}: ${issue.message}`;
  const report = () => (options.onWarning ? options.onWarning(issue, context) : console.warn(line));
  reportOrPrint(report, line); // not awaited, because no answer depends on a logger
}
