import { isBytes, type OpenBody, openBody } from '../parser/body.js';
import type { NotificationIssue, NotificationType } from '../parser/errors.js';
import { describe, isNonEmpty, referenceOf } from '../parser/messages.js';
import {
  idempotencyKey,
  type PaymentNotification,
  readNotification,
} from '../parser/notification.js';
import { type RawBody, readBody } from '../parser/parse.js';
import type { Reading } from '../parser/read.js';
import { readMembers } from '../shared/members.js';
import { damageOf } from './damage.js';
import type { Inspection } from './inspection.js';
import { checksOf, isToCheck } from './outcome.js';
import { countEvents, reportedBy, summarize, summarizeRefusal } from './summary.js';

/** What is said about a body as a whole. A whole inspection takes several times as long. */
export type Judgement = Omit<Inspection, 'fields' | 'absent' | 'jsonFault'>;

/** A judgement, and what was read for it. */
export interface Judged {
  readonly judgement: Judgement;
  /** Why someone should look at an accepted body, except for warnings. */
  readonly checks: readonly string[];
  /** The body, if it is the JSON text of an object. */
  readonly opened: OpenBody | null;
  /** What could be read, of a refused body as well; null if no rules apply to it. */
  readonly reading: Reading<PaymentNotification> | null;
  /** The body's text, if it is not JSON; null otherwise. */
  readonly noJson: string | null;
}

/** Says what a body reports, and whether it went as expected. */
export function judgeBody(body: RawBody, as: NotificationType | null): Judged {
  if (typeof body !== 'string' && !isBytes(body)) {
    const received = `${describe(body)}. Pass the raw body`;
    throw new TypeError(`body: expected text or bytes, received ${received}`);
  }
  const opened = openBody(body);
  const isOpen = opened.fields !== null;
  const { type, issues, reading } = isOpen
    ? readBody(opened, as, readNotification)
    : { type: as, issues: opened.issues, reading: null };
  const repeated = isOpen ? findRepeated(opened.text) : [];
  const read = reading?.notification ?? null;
  const reference = isOpen ? referenceOf(opened.fields) : {};
  const rest = { type, issues, warnings: read?.warnings ?? [], reference };
  const noJson = isOpen ? null : (opened.text ?? null);
  const judged = { opened: isOpen ? opened : null, reading, noJson };
  if (isNonEmpty(issues)) {
    const summary = summarizeRefusal({
      ...{ type, issues, reference },
      reported: read === null ? '' : reportedBy(read, repeated),
      isEmpty: isOpen && Object.keys(opened.fields).length === 0,
      contained: containedIn(body, noJson, issues[0]),
      damage: noJson === null ? null : damageOf(noJson),
    });
    const judgement = { outcome: 'refused', summary, idempotencyKey: null, ...rest } as const;
    return { ...judged, judgement, checks: [] };
  }
  // Without an issue, no required field is null.
  const notification = read as PaymentNotification;
  const checks = checksOf(notification, repeated);
  const warnings = rest.warnings.filter((warning) => isToCheck(warning, reading));
  const judgement: Judgement = {
    outcome: checks.length + warnings.length > 0 ? 'check' : 'good',
    summary: summarize(notification, repeated, warnings),
    idempotencyKey: idempotencyKey(notification),
    ...rest,
  };
  return { ...judged, judgement, checks };
}

/** Finds the names that were sent more than once. */
function findRepeated(text: string): string[] {
  const found = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of readMembers(text)) (found.has(name) ? repeated : found).add(name);
  return [...repeated];
}

/** Counts the events in a body that is not an event itself. */
function containedIn(
  body: RawBody,
  noJson: string | null,
  { code, received }: NotificationIssue,
): string {
  if (noJson !== null) return countEvents(noJson, 2);
  if (code !== 'not_an_object' && received !== 'neither') return '';
  return countEvents(typeof body === 'string' ? body : new TextDecoder().decode(body), 1);
}
