import type { RawBody } from '../parser/parse.js';
import { checkTime, createDeadline, type Deadline } from '../shared/deadline.js';
import { messageOf } from '../shared/thrown.js';
import { answerTo } from './answer.js';
import { type Arrived, createArrive, type HeaderSource, type Incoming, isVisit } from './arrive.js';
import { receivedOf } from './bytes.js';
import { createLog, type Outcome } from './log.js';
import { type NodeRequest, type NodeResponse, readNodeBody, sendNode } from './node.js';
import {
  checkReceiverOptions,
  type ReceiverAnswer,
  type ReceiverOptions,
  successOf,
} from './options.js';
import { createRounds } from './rounds.js';
import { createSettling } from './settle.js';
import { guard } from './store.js';
import {
  answerWeb,
  isWebRequest,
  readWebBody,
  toResponse,
  type WebRequest,
  type WebResponse,
} from './web.js';

export type { HeaderSource } from './arrive.js';
export type { LogEntry, Outcome } from './log.js';
export { NeedsReview } from './needs-review.js';
export type { NodeRequest, NodeResponse } from './node.js';
export type {
  DeliveryContext,
  ReceiverAnswer,
  ReceiverOptions,
  ReceiverSettings,
  Settle,
  VerifyInput,
} from './options.js';
export type { Place, SavedBody, Store, WaitingBody } from './store.js';
export type { WebRequest, WebResponse } from './web.js';

/** A request of any platform, for {@link Receiver.receive}. */
export interface ReceivedRequest {
  /** The raw body. It may be null or undefined only for a GET or HEAD request; see `method`. */
  readonly body: RawBody | null | undefined;
  /** The URL that was called, or its path. */
  readonly url: string;
  /** For `verify`: an object of headers, or `Headers`. */
  readonly headers?: HeaderSource | undefined;
  /**
   * The HTTP method. A GET or HEAD request without a body is answered with 200 and a short text.
   * If you omit the method, every request counts as a webhook.
   */
  readonly method?: string | undefined;
}

/**
 * An endpoint for webhooks. Its functions accept any method and headers, never reject, and don't
 * use `this`.
 */
export interface Receiver {
  /** Receives a request of Node.js, for Express, Fastify, Koa, NestJS and `node:http`. */
  readonly node: (request: NodeRequest, response: NodeResponse) => void;
  /**
   * Receives a web standard `Request`, for Hono, Next.js, h3, Cloudflare Workers, Bun and Deno.
   */
  readonly fetch: (request: WebRequest) => Promise<WebResponse>;
  /** Receives the parts of a request, for platforms such as AWS Lambda. */
  readonly receive: (request: ReceivedRequest) => Promise<ReceiverAnswer>;
  /**
   * Settles a raw body that comes from your queue. Don't use this for a request, because it checks
   * no secret. Remove the body from your queue unless the promise resolves to `failed`.
   */
  readonly settle: (body: RawBody) => Promise<Outcome>;
  /**
   * Retries the webhooks that wait, in rounds until `stop`: now, and every `everyMs` (default:
   * 60,000). These are the webhooks in `retry`, and the webhooks that have been in `progress` for
   * longer than `timeoutMs` and ten seconds, because their process has ended. The timer doesn't
   * keep the process running.
   *
   * A round ends after 50 failures in a row, such as while your database is down. A webhook whose
   * process has ended three times goes to `review`.
   *
   * @throws RangeError if `setTimeout` can't wait for `everyMs`.
   */
  readonly start: (options?: { readonly everyMs?: number | undefined }) => void;
  /**
   * Retries the webhooks that wait, once, for a scheduled function. After a minute, it begins no
   * other webhook.
   */
  readonly retry: () => Promise<void>;
  /**
   * Stops the retries, and resolves when no webhook is in progress. If a store or a log hangs, that
   * takes up to `timeoutMs` and 20 seconds, or 30 seconds if only `list` hangs. A function that is
   * late may still run.
   *
   * Call it after the server has closed, and before the process ends. A server that closes doesn't
   * wait for a request whose sender gave up, but your function may still settle its webhook.
   */
  readonly stop: () => Promise<void>;
}

/**
 * Creates an endpoint that checks who calls, reads a raw body, parses and saves it, calls your
 * function, and answers.
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
 *   store: createStore('/var/lib/webhooks'),
 *   onDepositReceived: (deposit, context) => credit(deposit, context),
 * });
 * receiver.start();
 * app.all('/callbacks/:secret', receiver.node); // Express, above any express.json()
 * ```
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  checkReceiverOptions(options);
  const { timeoutMs = 25_000 } = options;
  const success = successOf(options.success);
  const log = createLog(options.log);
  const store = options.store && guard(options.store);
  const arrive = createArrive(options, log);
  const settling = createSettling(options, store, log);
  const rounds = store && createRounds(options, store, settling, timeoutMs, log);
  const inProgress = new Set<Promise<unknown>>();

  async function handle(open: () => Incoming) {
    const deadline = createDeadline(timeoutMs);
    const handled = arrive(open, deadline).then(async (arrived) => {
      const outcome = await outcomeOf(arrived, deadline);
      // Only a request is turned away, and who calls with one needs no outcome.
      return { outcome: outcome ?? 'failed', answer: answerTo(arrived, outcome, success) };
    });
    inProgress.add(handled);
    try {
      return await handled;
    } finally {
      deadline.end();
      inProgress.delete(handled);
    }
  }

  /** Returns the outcome of a webhook; null for a request that was turned away. */
  async function outcomeOf(arrived: Arrived, deadline: Deadline): Promise<Outcome | null> {
    if (arrived.kind === 'event') return settling.event(arrived, deadline, null);
    if (arrived.kind === 'refused') return settling.refused(arrived, null, null);
    return arrived.kind === 'lost' ? settling.lost(arrived) : null;
  }

  function sendOrLog(response: NodeResponse, answer: ReceiverAnswer): void {
    try {
      sendNode(response, answer);
    } catch (error) {
      // A response that other middleware has changed may throw. Without its end, the sender would
      // wait for an answer.
      try {
        response.destroy();
      } catch {
        // The first error says more.
      }
      const message = `no answer was sent: ${messageOf(error)}`;
      log({ outcome: 'failed', key: null, message, error });
    }
  }

  return {
    async node(request, response) {
      const { answer } = await handle(() => ({
        caller: {
          url: request.originalUrl ?? request.url,
          method: request.method,
          headers: request.headers,
        },
        read: () => readNodeBody(request),
      }));
      // If this is mounted in place of `fetch`, there is no response of Node.js.
      if (!response && isWebRequest(request)) return toResponse(answer) as never;
      sendOrLog(response, answer);
    },
    async fetch(request, ...rest: unknown[]) {
      const { answer } = await handle(() => ({
        caller: { url: request.url, method: request.method, headers: request.headers },
        read: () => readWebBody(request),
      }));
      if (isWebRequest(request)) return answerWeb(request, answer);
      // If this is mounted in place of `node`, the sender waits for a response of Node.js.
      sendOrLog(rest[0] as NodeResponse, answer);
      return toResponse(answer);
    },
    async receive(request) {
      const { answer } = await handle(() => ({
        caller: { url: request.url, method: request.method, headers: request.headers },
        read: () => receivedOf(request.body ?? emptyVisit(request)),
      }));
      return answer;
    },
    async settle(body) {
      return (await handle(() => ({ caller: null, read: () => receivedOf(body) }))).outcome;
    },
    start({ everyMs = 60_000 } = {}) {
      checkTime('everyMs', everyMs);
      rounds?.start(everyMs);
    },
    retry: async () => rounds?.run(),
    async stop() {
      await rounds?.stop();
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

/** A missing body is empty for a visit. Otherwise, it is a mistake, which the log explains. */
function emptyVisit(request: ReceivedRequest): RawBody {
  return isVisit(request) ? '' : (request.body as never);
}
