import { isBytes, type OpenBody, openBody, type UnreadableBody } from '../parser/body.js';
import type { NotificationIssue, NotificationType } from '../parser/errors.js';
import { describe, isNonEmpty, referenceOf } from '../parser/messages.js';
import {
  idempotencyKey,
  type PaymentNotification,
  readNotification,
} from '../parser/notification.js';
import { type RawBody, readOpenBody } from '../parser/parse.js';
import type { Reading } from '../parser/read.js';
import { readMembers } from '../shared/members.js';
import type { Inspection } from './inspection.js';
import { type Refusal, summarizeRefusal } from './refusal.js';
import { summarize } from './summary.js';
import { judgeNotification } from './verdict.js';

/** What is said about a body as a whole. A whole inspection takes several times as long. */
export type Judgement = Omit<Inspection, 'fields' | 'absent' | 'jsonFault'>;

/** A judgement, and what was read for it. */
export interface Judged {
  readonly judgement: Judgement;
  /** Why someone should look at an accepted body, except for warnings. */
  readonly checks: readonly string[];
  readonly opened: OpenBody | UnreadableBody;
  /** What could be read, of a refused body as well; null if no rules apply to it. */
  readonly reading: Reading<PaymentNotification> | null;
}

/** Options of `inspectBody`. */
export interface InspectOptions {
  /**
   * The type that the endpoint expects. By default, it is detected by the identifier of the body.
   */
  readonly as?: NotificationType | undefined;
  /** Whether the body is saved. Then the summary doesn't say that the endpoint should do that. */
  readonly isSaved?: boolean | undefined;
}

type CompleteReading = Pick<Reading<unknown>, 'rules'> & {
  readonly notification: PaymentNotification;
};

/** Says what a body reports, and whether it went as expected. */
export function judgeBody(body: RawBody, { as, isSaved = false }: InspectOptions = {}): Judged {
  if (typeof body !== 'string' && !isBytes(body)) {
    const received = `${describe(body)}. Pass the raw body`;
    throw new TypeError(`body: expected text or bytes, received ${received}`);
  }
  const opened = openBody(body);
  if (opened.fields === null) {
    const refusal = { type: as ?? null, issues: opened.issues, reference: {} };
    const judgement = refuse(refusal, [], isSaved);
    return { judgement, checks: [], opened, reading: null };
  }
  const { type, issues, reading } = readOpenBody(opened, as ?? null, readNotification);
  const reference = referenceOf(opened.fields);
  const warnings = reading?.notification.warnings ?? [];
  if (isNonEmpty(issues)) {
    const judgement = refuse({ type, issues, reference }, warnings, isSaved);
    return { judgement, checks: [], opened, reading };
  }
  // Without an issue, there is a reading, in which no required field is null.
  const { notification, rules } = reading as CompleteReading;
  const repeated = findRepeated(opened.text);
  const { outcome, checks, toCheck } = judgeNotification(notification, repeated, rules);
  const judgement: Judgement = {
    outcome,
    summary: summarize(notification, repeated, toCheck),
    idempotencyKey: idempotencyKey(notification),
    ...{ type, issues, warnings, reference },
  };
  return { judgement, checks, opened, reading };
}

function refuse(
  refusal: Refusal,
  warnings: readonly NotificationIssue[],
  isSaved: boolean,
): Judgement {
  const summary = summarizeRefusal(refusal, isSaved);
  return { outcome: 'refused', summary, idempotencyKey: null, ...refusal, warnings };
}

function findRepeated(text: string): string[] {
  const found = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of readMembers(text)) (found.has(name) ? repeated : found).add(name);
  return [...repeated];
}
