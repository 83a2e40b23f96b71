import { NotificationError } from '../parser/errors.js';
import { describe, issue, referenceOf } from '../parser/messages.js';
import { idempotencyKey, type PaymentNotification } from '../parser/notification.js';
import {
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from '../parser/parse.js';
import type { Deadline } from '../shared/deadline.js';
import { messageOf } from '../shared/thrown.js';
import type { ReceivedBody } from './bytes.js';
import type { Log } from './log.js';
import type { ReceiverOptions } from './options.js';
import { createCheck, createStrangerReport } from './secret.js';

// A body goes one way: it arrives (here), is settled or refused (settle.ts), and is answered
// (answer.ts). A body of the store begins with the second step (rounds.ts).

export interface Incoming {
  /** Who calls; null for a body from a queue, which isn't checked. */
  readonly caller: Caller | null;
  readonly read: () => ReceivedBody | Promise<ReceivedBody>;
}

interface Caller {
  /** The URL that was called, or its path. */
  readonly url: unknown;
  readonly method: string | undefined;
  readonly headers: HeaderSource | undefined;
}

/** `Headers`, or a plain object whose names have any case. */
export type HeaderSource =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** A valid body, and what was read from it. */
export interface Event {
  readonly kind: 'event';
  readonly notification: PaymentNotification;
  readonly key: string;
  readonly body: Uint8Array;
}

/** A body with faults. */
export interface Refused {
  readonly kind: 'refused';
  readonly error: NotificationError;
  readonly body: Uint8Array;
  /** Whether a sender waits for the answer, unlike for a body from a queue or the store. */
  readonly isRequest: boolean;
}

export type Arrived =
  | Event
  | Refused
  /** It is turned away: nothing is done about it, except for the answer. */
  | { readonly kind: 'a wrong secret' | 'a failed check' | 'a visit' }
  /** It was not read to its end, or not checked: only its sender has it. */
  | { readonly kind: 'lost'; readonly error: unknown };

/** Whether a request that has no body may come from a dashboard, a browser or a scanner. */
export function isVisit({ method }: { readonly method?: string | undefined }): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns a header as one text; null if it is missing. */
export function headerOf(source: HeaderSource, name: string): string | null {
  if (typeof source.get === 'function') return source.get(name);
  const wanted = name.toLowerCase();
  for (const [given, value] of Object.entries(source)) {
    if (given.toLowerCase() === wanted && value !== undefined) return [value].flat().join(', ');
  }
  return null;
}

/** Checks the secret, reads, verifies and parses. The function never rejects. */
export function createArrive(
  options: ReceiverOptions,
  log: Log,
): (open: () => Incoming, deadline: Deadline) => Promise<Arrived> {
  const { secret, verify } = options;
  const isOurs = createCheck(secret);
  const reportStranger = createStrangerReport(log);
  const parse = parserOf(options);
  // Said at the first request, because the worker of a queue has no secret either, and gets none.
  let isUnprotected = secret === null && !verify;

  async function isVerified({ headers = {} }: Caller, body: Uint8Array): Promise<boolean> {
    if (!verify) return true;
    const header = (name: string) => headerOf(headers, name);
    let result: unknown;
    try {
      result = await verify({ body: new Uint8Array(body), header });
    } catch (cause) {
      throw new Error(`verify: ${messageOf(cause)}`, { cause });
    }
    if (typeof result === 'boolean') return result;
    // Some libraries return the payload, and others nothing: neither says that it is genuine.
    throw new TypeError(`verify: expected true or false, received ${describe(result)}`);
  }

  async function arrive({ caller, read }: Incoming, deadline: Deadline): Promise<Arrived> {
    if (caller && isUnprotected) {
      isUnprotected = false;
      log({ outcome: 'warning', key: null, message: UNPROTECTED });
    }
    if (caller && !isOurs(caller.url)) {
      // A visit by a browser or a scanner isn't worth a line in the log.
      if (!isVisit(caller)) reportStranger('a wrong secret');
      return { kind: 'a wrong secret' };
    }
    const { bytes: body, mayLackBytes } = await deadline.before('body', (async () => read())());
    if (caller && body.length === 0 && isVisit(caller)) return { kind: 'a visit' };
    if (caller && !(await deadline.before('verify', isVerified(caller, body)))) {
      reportStranger('a failed check');
      return { kind: 'a failed check' };
    }
    const { success, error, notification } = parse(body);
    if (success && !mayLackBytes) return eventOf(notification, body);
    const refusal = error ?? textError(notification);
    return { kind: 'refused', error: refusal, body, isRequest: caller !== null };
  }

  return async (open, deadline) => {
    try {
      return await arrive(open(), deadline);
    } catch (error) {
      return { kind: 'lost', error };
    }
  };
}

export function eventOf(notification: PaymentNotification, body: Uint8Array): Event {
  return { kind: 'event', notification, key: idempotencyKey(notification), body };
}

const UNPROTECTED =
  'secret: null without verify lets anyone who reaches this receiver post a deposit. Pass a secret or verify. If your proxy checks who calls, pass verify: () => true';

function parserOf(options: ReceiverOptions) {
  if (!options.onWithdrawalBroadcast) return safeParseDepositReceived;
  if (!options.onDepositReceived) return safeParseWithdrawalBroadcast;
  return safeParseNotification;
}

/** The error for text that may have lost bytes. Two different identifiers may then be equal. */
function textError(notification: PaymentNotification): NotificationError {
  const received =
    'text in which bytes may be lost (U+FFFD or a lone surrogate). Pass raw bytes. If the identifiers are right, move the webhook from review to retry';
  return new NotificationError({
    notificationType: notification.type,
    issues: [issue('invalid_json', [], 'raw bytes', received)],
    reference: referenceOf({ ...notification }),
  });
}
