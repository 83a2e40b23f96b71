import { MAX_BYTES } from '../parser/body.js';
import { NotificationError, type NotificationIssue } from '../parser/errors.js';
import { issue, referenceOf } from '../parser/messages.js';
import { idempotencyKey, type PaymentNotification } from '../parser/notification.js';
import {
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parser/parse.js';
import { LATE, lateError, within } from '../shared/deadline.js';
import { messageOf } from '../shared/thrown.js';
import {
  checkReturned,
  NOT_FOUND,
  type ReceiverAnswer,
  successOf,
  UNAUTHORIZED,
  VISITED,
} from './answer.js';
import type { Busy } from './busy.js';
import type { ReceivedBody } from './bytes.js';
import { type HeaderSource, headerOf } from './headers.js';
import { type Known, keep, type Unsettled } from './keep.js';
import type { Log, Outcome } from './log.js';
import { isNeedsReview } from './needs-review.js';
import type { ReceiverOptions } from './options.js';
import { createCheck, createStrangerReport } from './secret.js';
import { inTime, nameOf, type Store } from './store.js';

export interface Incoming {
  /** Who calls; null for a body from a queue or the store, which isn't checked again. */
  readonly caller: Caller | null;
  /** The name under which the body is in `retry`; null if it isn't. */
  readonly savedAs?: string | null;
  readonly read: () => ReceivedBody | Promise<ReceivedBody>;
}

interface Caller {
  /** The URL that was called, or its path. */
  readonly url: unknown;
  readonly method: string | undefined;
  readonly headers: HeaderSource | undefined;
}

export interface Handled {
  /** `failed` if the request was turned away: then only the answer counts. */
  readonly outcome: Outcome;
  readonly answer: ReceiverAnswer;
  /** The name under which the body is saved; null if it isn't. */
  readonly name: string | null;
}

interface Progress extends Known {
  /** The current step, which the error names at the deadline. */
  step: 'body' | 'verify' | 'saveFirst' | (typeof FUNCTION_OF)[PaymentNotification['type']];
  isLate: boolean;
  warnings: readonly NotificationIssue[];
  /** The name under which `saveFirst` has saved the body, or has tried to. */
  savedFirst: string | null;
}

type End =
  | { readonly outcome: 'turned away'; readonly answer: ReceiverAnswer }
  | { readonly outcome: 'settled' }
  | Unsettled;

const SETTLED: End = { outcome: 'settled' };
/** The end after the deadline. It is ignored, because `giveUp` has returned another one. */
const TOO_LATE = SETTLED;

const FUNCTION_OF = {
  'deposit.received': 'onDepositReceived',
  'withdrawal.broadcast': 'onWithdrawalBroadcast',
} as const;

/**
 * Creates the function that takes a body from the request to the answer. It checks the caller,
 * reads and parses the body, calls the merchant's function, saves a body that isn't settled, and
 * logs. The function never rejects.
 */
export function createHandle(
  options: ReceiverOptions,
  busy: Busy,
  log: Log,
): (open: () => Incoming) => Promise<Handled> {
  const { store, timeoutMs = 25_000 } = options;
  const success = successOf(options.success);
  const isOurs = createCheck(options.secret);
  const reportStranger = createStrangerReport(log);
  const parse = parserOf(options);
  // Bound, because the options may be an instance of a class, whose methods use `this`.
  const verify = options.verify?.bind(options);
  const onDepositReceived = options.onDepositReceived?.bind(options);
  const onWithdrawalBroadcast = options.onWithdrawalBroadcast?.bind(options);
  /**
   * Events whose function still runs after its deadline. If repeats of them were passed on, each
   * would wait for the same lock, and together they would soon take all connections to the
   * database.
   */
  const late = new Set<{ readonly key: string | null }>();

  async function handle(open: () => Incoming): Promise<Handled> {
    const progress: Progress = {
      step: 'body',
      isLate: false,
      isRequest: false,
      body: null,
      key: null,
      warnings: [],
      savedAs: null,
      savedFirst: null,
      isInRetry: false,
    };
    return await conclude(await endOf(passOn(open, progress), progress), progress);
  }

  async function endOf(passed: Promise<End>, progress: Progress): Promise<End> {
    try {
      const end = await within(timeoutMs, passed);
      return end === LATE ? giveUp(passed, progress) : end;
    } catch (error) {
      return { outcome: isNeedsReview(error) ? 'review' : 'retry', error };
    }
  }

  async function passOn(open: () => Incoming, progress: Progress): Promise<End> {
    const { caller, savedAs = null, read } = open();
    progress.savedAs = savedAs;
    progress.isInRetry = savedAs !== null;
    progress.isRequest = caller !== null;
    if (caller && !isOurs(caller.url)) {
      // A visit by a browser or a scanner isn't worth a line in the log.
      if (!isVisit(caller)) reportStranger('a wrong secret');
      return { outcome: 'turned away', answer: NOT_FOUND };
    }
    const { bytes: body, mayLackBytes } = await read();
    if (caller && body.length === 0 && isVisit(caller))
      return { outcome: 'turned away', answer: VISITED };
    if (progress.isLate) return TOO_LATE;
    const isOfService = caller === null || (await isVerified(caller, body, progress));
    if (progress.isLate) return TOO_LATE;
    if (!isOfService) {
      reportStranger(`a failed check${body.length > MAX_BYTES ? ' of a long body' : ''}`);
      return { outcome: 'turned away', answer: UNAUTHORIZED };
    }
    progress.body = body;
    const { success, error, notification } = parse(body);
    if (!success) return { outcome: 'refused', error };
    if (mayLackBytes) return { outcome: 'refused', error: textError(notification) };
    return await settle(notification, idempotencyKey(notification), body, progress);
  }

  async function isVerified(
    { headers = {} }: Caller,
    body: Uint8Array,
    progress: Progress,
  ): Promise<boolean> {
    if (!verify) return true;
    progress.step = 'verify';
    const header = (name: string) => headerOf(headers, name);
    return (await verify({ body: new Uint8Array(body), header })) === true;
  }

  async function settle(
    notification: PaymentNotification,
    key: string,
    body: Uint8Array,
    progress: Progress,
  ): Promise<End> {
    const name = FUNCTION_OF[notification.type];
    progress.key = key;
    progress.warnings = notification.warnings;
    if ([...late].some((running) => running.key === key)) {
      throw new Error(`${name}: an earlier call still runs`);
    }
    if (options.saveFirst && store && progress.savedAs === null)
      await saveFirst(store, key, body, progress);
    if (progress.isLate) return TOO_LATE;
    progress.step = name;
    // A copy, because the function may change the bytes, or transfer them to a worker.
    const context = { key, body: new Uint8Array(body) };
    // The parser refuses a type that has no function.
    const returned =
      notification.type === 'deposit.received'
        ? await onDepositReceived?.(notification, context)
        : await onWithdrawalBroadcast?.(notification, context);
    checkReturned(name, returned);
    return SETTLED;
  }

  /** If saving fails, the merchant's function is still called, unless the deadline has passed. */
  async function saveFirst(
    to: Store,
    key: string,
    body: Uint8Array,
    progress: Progress,
  ): Promise<void> {
    progress.step = 'saveFirst';
    try {
      const name = await inTime('save', () => nameOf(key, body));
      // After the deadline, `conclude` has run already, so the name would stay busy forever.
      if (progress.isLate) return;
      busy.enter(name);
      progress.savedFirst = name;
      await inTime('save', () => to.save({ to: 'retry', name, body, key, reason: 'in progress' }));
      progress.isInRetry = true;
    } catch (error) {
      log({ outcome: 'failed', key, message: `not saved first: ${messageOf(error)}`, error });
    }
  }

  /** Watches a late function, so that its error is still logged. */
  function giveUp(passed: Promise<End>, progress: Progress): End {
    progress.isLate = true;
    const { step, key } = progress;
    // `late` gets a new object, because `progress` would keep the body in memory.
    const running = { key };
    if (key !== null && step !== 'saveFirst') late.add(running);
    passed
      .catch((error) => {
        // Before the event is known, a late error mostly means that the sender has left.
        if (key === null) return;
        const message = `${step} failed after its deadline: ${messageOf(error)}`;
        log({ outcome: 'warning', key, message, error });
      })
      .then(() => late.delete(running));
    return { outcome: 'retry', error: lateError(step, timeoutMs) };
  }

  /** Saves the body before it logs, because a log may hang, or end the process. */
  async function conclude(end: End, progress: Progress): Promise<Handled> {
    const { key, warnings, savedFirst } = progress;
    if (end.outcome === 'turned away') return { outcome: 'failed', answer: end.answer, name: null };
    const kept =
      end.outcome === 'settled'
        ? { entry: { outcome: end.outcome, key, message: 'settled' }, answer: success, name: null }
        : await keep(store, end, progress, success);
    const { entry, answer, name } = kept;
    if (savedFirst !== null) {
      if (entry.outcome === 'settled' || entry.outcome === 'review') await remove(savedFirst);
      busy.leave(savedFirst);
    }
    for (const issue of warnings) log({ outcome: 'warning', key, message: issue.message, issue });
    const logged = log(entry);
    // Platforms such as AWS Lambda freeze the process once it has answered. So the answer waits for
    // the log, unless the event is settled.
    if (entry.outcome !== 'settled') await logged;
    return { outcome: entry.outcome, answer, name };
  }

  async function remove(name: string): Promise<void> {
    await inTime('remove', async () => store?.remove(name)).catch((error) => {
      log({ outcome: 'failed', key: null, message: `${name} waits: ${messageOf(error)}`, error });
    });
  }

  return handle;
}

/** Whether the request may come from a dashboard, a browser or a scanner. */
function isVisit({ method }: Caller): boolean {
  return method === 'GET' || method === 'HEAD';
}

function parserOf(options: ReceiverOptions) {
  if (!options.onWithdrawalBroadcast) return safeParseDepositReceived;
  if (!options.onDepositReceived) return safeParseWithdrawalBroadcast;
  return safeParseNotification;
}

/** The error for text that may have lost bytes. Two different identifiers may then be equal. */
function textError(notification: PaymentNotification): NotificationError {
  const received =
    'text with U+FFFD or a lone surrogate, which may stand for bytes that are lost. If its identifiers are right, move the body from review to retry';
  return new NotificationError({
    notificationType: notification.type,
    issues: [issue('invalid_json', [], 'raw bytes', received)],
    reference: referenceOf({ ...notification }),
  });
}
