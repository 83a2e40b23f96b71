import type { NotificationError } from '../parser/errors.js';
import { idempotencyKey, type PaymentNotification } from '../parser/notification.js';
import {
  type RawBody,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parser/parse.js';
import { within } from '../shared/deadline.js';
import { checkReturned, type ReceiverAnswer, refusalOf, successOf } from './answer.js';
import { bytesOf } from './bytes.js';
import { createLog, type LogEntry, messageOf, type Outcome } from './log.js';
import { isNeedsReview } from './needs-review.js';
import { type NodeRequest, type NodeResponse, readNodeBody, sendNode } from './node.js';
import { checkOptions, type DeliveryContext, type ReceiverOptions } from './options.js';
import { createRounds } from './rounds.js';
import { createCheck, createMissReport } from './secret.js';
import { nameOf, type SavedBody } from './store.js';
import { readWebBody, toResponse, type WebRequest, type WebResponse } from './web.js';

export type { ReceiverAnswer } from './answer.js';
export type { LogEntry, Outcome } from './log.js';
export { NeedsReview } from './needs-review.js';
export type { NodeRequest, NodeResponse } from './node.js';
export type { DeliveryContext, ReceiverOptions, Settle } from './options.js';
export type { SavedBody, Store } from './store.js';
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
  /** Receives a request of Node.js, for Express, Fastify, Koa, NestJS and `node:http`. */
  readonly node: (request: NodeRequest, response: NodeResponse) => void;
  /**
   * Receives a raw body of a queue. It has no URL, so nothing checks the secret: don't call it for
   * a request. If it resolves to anything but `failed`, the body is settled or saved.
   */
  readonly settle: (body: RawBody) => Promise<Outcome>;
  /**
   * Tries the bodies in `retry` again, now and every minute, until `stop`. The pause doesn't keep
   * the process running.
   *
   * New bodies and earlier failures take turns. A round ends after five failures in a row, such as
   * while your database is down.
   */
  readonly start: () => void;
  /** Tries the bodies in `retry` again, once, for a scheduled function. */
  readonly retry: () => Promise<void>;
  /**
   * Tries no more bodies, and resolves when none is in progress: each is settled, saved, or was
   * refused. That takes `timeoutMs` and five seconds at most.
   *
   * Call it before the process ends, after the server has closed. Closed connections are not
   * enough: a sender that gave up leaves none, but its body may still be on its way to your
   * database.
   */
  readonly stop: () => Promise<void>;
}

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

/**
 * How long a store may take to save, and then a log to report, in milliseconds. A process that stops
 * waits for them.
 */
const MAX_SAVING = 5000;

/** A body that asks for an answer. */
interface Incoming {
  /** Whether the URL ends with the secret. Otherwise, nothing is read. */
  readonly isOurs: boolean;
  readonly method?: string | undefined;
  /** Whether it comes from the store. */
  readonly isSaved?: boolean;
  readonly read: () => Uint8Array | Promise<Uint8Array>;
}

/** What is known of a body in progress. */
interface Progress {
  key: string | null;
  body: Uint8Array | null;
  /** What is waited for. */
  step: 'body' | (typeof FUNCTION_OF)[PaymentNotification['type']];
  isLate: boolean;
  /** Under which name it was saved before it is settled. */
  savedFirst: string | null;
}

/** What became of a body. */
interface Ended {
  readonly outcome: Outcome;
  readonly answer: ReceiverAnswer;
  /** Under which name it is saved; null if it isn't. */
  readonly name: string | null;
}

/** Of a request that brings no body of ours. */
const ended = (answer: ReceiverAnswer): Ended => ({ outcome: 'failed', answer, name: null });

/**
 * Creates an endpoint that checks who calls, reads a raw body, parses it, passes the notification
 * on, saves what can't be settled, and answers.
 *
 * @throws TypeError if `secret` is missing or too short, neither type of notification has a
 * function, `store` is missing, an option can't be used, or a key such as `onDeposit` would be
 * ignored.
 * @throws RangeError if `setTimeout` can't wait for `timeoutMs`.
 *
 * @example
 * ```ts
 * const receiver = createReceiver({
 *   secret: process.env.CALLBACK_SECRET,
 *   store: createStore('webhooks'),
 *   onDepositReceived: (deposit, { key }) => credit(key, deposit),
 * });
 * receiver.start();
 * app.all('/callbacks/:secret', receiver.node); // Express, above any express.json()
 * ```
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  checkOptions(options);
  const { store, timeoutMs = 25_000 } = options;
  const success = successOf(options.success);
  const log = createLog(options);
  const isOurs = createCheck(options.secret);
  const reportMiss = createMissReport(log);
  const parse = parserOf(options);
  const inProgress = new Set<Promise<Ended>>();
  /**
   * Bodies whose function still runs after its deadline. If repeats of their events were passed on,
   * one locked account would soon take all connections to the database.
   */
  const late = new Set<Progress>();
  const settle = (body: RawBody, isSaved: boolean) =>
    handle(() => ({ isOurs: true, isSaved, read: () => bytesOf(body) }));
  const rounds = store && createRounds(store, (body) => settle(body, true), log);

  function handle(open: () => Incoming): Promise<Ended> {
    const handled = passOnOrKeep(open); // never rejects
    inProgress.add(handled);
    handled.then(() => inProgress.delete(handled));
    return handled;
  }

  async function passOnOrKeep(open: () => Incoming): Promise<Ended> {
    const progress: Progress = {
      ...{ key: null, body: null, step: 'body', isLate: false, savedFirst: null },
    };
    const ended = await passOnInTime(open, progress);
    const { key, savedFirst: name } = progress;
    if (store && name !== null) {
      const isDone = ended.outcome === 'settled' || ended.outcome === 'review';
      const remove = async () => isDone && store.remove(name);
      await within(MAX_SAVING, remove(), () => 'store.remove').catch((error) =>
        log({ outcome: 'failed', key, message: `${name} waits: ${messageOf(error)}`, error }),
      );
      rounds?.inProgress.delete(name);
    }
    return ended;
  }

  async function passOnInTime(open: () => Incoming, progress: Progress): Promise<Ended> {
    try {
      const incoming = open();
      if (!incoming.isOurs) {
        if (!isVisit(incoming)) reportMiss();
        return ended(NOT_FOUND);
      }
      const passed = passOn(incoming, progress);
      const result = await within(timeoutMs, passed, () => giveUp(passed, progress));
      if (result === 'visit') return ended(PURPOSE);
      if (result !== 'settled') return keep(progress, 'refused', result, refusalOf(result));
    } catch (error) {
      return isNeedsReview(error)
        ? keep(progress, 'review', error, success)
        : keep(progress, 'retry', error, FAILED);
    }
    log({ outcome: 'settled', key: progress.key, message: 'settled' });
    return { outcome: 'settled', answer: success, name: null };
  }

  async function passOn(
    incoming: Incoming,
    progress: Progress,
  ): Promise<'visit' | 'settled' | NotificationError> {
    const body = await incoming.read();
    if (progress.isLate) return 'settled'; // too late to be passed on: its answer was 500
    progress.body = body;
    if (body.length === 0 && isVisit(incoming)) return 'visit';
    const { success, error, notification } = parse(body);
    if (!success) return error;
    const context = { key: idempotencyKey(notification), body };
    progress.key = context.key;
    for (const issue of notification.warnings) {
      log({ outcome: 'warning', key: context.key, message: issue.message, issue });
    }
    progress.step = FUNCTION_OF[notification.type];
    for (const { key } of late) {
      if (key === context.key) throw new Error(`${progress.step}: an earlier call has not ended`);
    }
    if (options.saveFirst && store && !incoming.isSaved) {
      const name = await nameOf(context.key, body);
      rounds?.inProgress.add(name);
      progress.savedFirst = name;
      await store.save({ to: 'retry', name, ...context, reason: 'in progress' });
      if (progress.isLate) return 'settled'; // its answer was 500
    }
    checkReturned(progress.step, await call(options, notification, context));
    return 'settled';
  }

  /** Saves a body, unless nothing of it is known. If that fails, it stays with its sender. */
  async function keep(
    { key, body }: Progress,
    outcome: 'review' | 'refused' | 'retry',
    error: unknown,
    answer: ReceiverAnswer,
  ): Promise<Ended> {
    const message = messageOf(error);
    // A platform such as AWS Lambda stops the process once it has answered.
    const report = (entry: LogEntry) =>
      within(MAX_SAVING, log(entry), () => 'log').catch((late) => console.error(messageOf(late)));
    const fail = async (why: string, cause: unknown): Promise<Ended> => {
      await report({ outcome: 'failed', key, message: message + why, error: cause });
      return ended(FAILED);
    };
    if (body === null) return fail('', error);
    if (store === null && outcome !== 'refused') return fail('', error);
    let name: string | null = null;
    if (store) {
      const to = outcome === 'retry' ? 'retry' : 'review';
      try {
        name = await nameOf(key ?? (outcome === 'refused' ? 'refused' : 'unknown'), body);
        const saved: SavedBody = { to, name, body, key, reason: message };
        const save = async () => store.save(saved);
        await within(MAX_SAVING, save(), () => 'store.save');
      } catch (cause) {
        return fail(`. The body was not saved: ${messageOf(cause)}`, cause);
      }
    }
    await report({ outcome, key, message, error });
    return { outcome, answer, name };
  }

  /** Follows a function that is late, whose error would be lost. */
  function giveUp(passed: Promise<unknown>, progress: Progress): string {
    progress.isLate = true;
    const { step, key, body } = progress;
    if (body !== null) {
      late.add(progress);
      passed
        .catch((error) => {
          const message = `${step} failed after its deadline: ${messageOf(error)}`;
          log({ outcome: 'retry', key, message, error });
        })
        .then(() => late.delete(progress));
    } else passed.catch(() => {}); // it was answered
    return step;
  }

  const answer = async (open: () => Incoming) => (await handle(open)).answer;

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
      try {
        sendNode(response, sent);
      } catch (error) {
        // A response that other middleware has changed may throw.
        const message = `no answer was sent: ${messageOf(error)}`;
        log({ outcome: 'failed', key: null, message, error });
      }
    },
    settle: async (body) => (await settle(body, false)).outcome,
    start: () => rounds?.start(),
    retry: async () => rounds?.run(),
    stop: async () => {
      await rounds?.stop();
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

/** The functions are called as methods of the options, which may be an object of a class. */
async function call(
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
