import { type OpenBody, openBody, type UnreadableBody } from '../parser/body.js';
import type { NotificationType } from '../parser/errors.js';
import { referenceOf } from '../parser/issues.js';
import { readMembers } from '../parser/members.js';
import {
  idempotencyKey,
  type PaymentNotification,
  readNotification,
} from '../parser/notification.js';
import type { Fields } from '../parser/objects.js';
import { acceptOrRefuse, type RawBody } from '../parser/parse.js';
import type { Partly } from '../parser/read.js';
import { damageOf } from './damage.js';
import type { Inspection } from './inspection.js';
import { checksOf, hidesMoney } from './outcome.js';
import { countEvents, reportedBy, summarize, summarizeRefusal } from './summary.js';

/** What is said of a body as a whole. A list needs no more, and takes a third of the time. */
export type Judgement = Omit<Inspection, 'fields' | 'absent' | 'jsonFault'>;

/** A judgement, and what was read for it. */
export interface Judged {
  readonly judgement: Judgement;
  /** Why someone should look at it, but for warnings. */
  readonly checks: readonly string[];
  /** The fields as sent; null for a body that is not the JSON text of an object. */
  readonly fields: Fields | null;
  /** Null if the body is refused. */
  readonly notification: PaymentNotification | null;
  /** What could be read, also of a refused body; null if that is nothing. */
  readonly read: Partly<PaymentNotification> | null;
}

/**
 * Says what a body reports, and whether it went as expected.
 *
 * @param opened - The same body, if the caller has opened it.
 */
export function judgeBody(
  body: RawBody,
  as: NotificationType | null,
  opened: OpenBody | UnreadableBody = openBody(body),
): Judged {
  if (opened.fields === null) {
    const { issues, text } = opened;
    const refused = { type: as, issues, reference: {} };
    const contained =
      text === undefined ? countEvents(textOf(body, issues[0].code), 1) : countEvents(text, 2);
    const summary = summarizeRefusal({
      ...refused,
      reported: '',
      isEmpty: false,
      contained,
      damage: text === undefined ? null : damageOf(text),
    });
    const judgement = { outcome: 'refused', summary, idempotencyKey: null, warnings: [] } as const;
    return {
      judgement: { ...judgement, ...refused },
      checks: [],
      fields: null,
      notification: null,
      read: null,
    };
  }
  const { fields, text } = opened;
  const { type, notification, error } = acceptOrRefuse(opened, as, readNotification);
  const repeated = findRepeated(fields, `${text}`);
  const reference = referenceOf(fields);
  const rest = { type, warnings: notification?.warnings ?? [], reference };
  if (error === null) {
    const checks = checksOf(notification, repeated);
    const isHidden = notification.warnings.some((warning) => hidesMoney(type, warning));
    const judgement: Judgement = {
      outcome: checks.length > 0 || isHidden ? 'check' : 'good',
      summary: summarize(notification, repeated),
      idempotencyKey: idempotencyKey(notification),
      issues: [],
      ...rest,
    };
    return { judgement, checks, fields, notification, read: notification };
  }
  const { issues } = error;
  const summary = summarizeRefusal({
    type,
    issues,
    reference,
    reported: reportedBy(notification, repeated),
    isEmpty: Object.keys(fields).length === 0,
    contained: issues[0].received === 'neither' ? countEvents(`${text}`, 1) : '',
    damage: null,
  });
  const judgement: Judgement = { outcome: 'refused', summary, idempotencyKey: null, issues, ...rest };
  return { judgement, checks: [], fields, notification: null, read: notification };
}

function textOf(body: RawBody, code: string): string {
  if (code === 'body_too_large') return '';
  return typeof body === 'string' ? body : new TextDecoder().decode(body);
}

/** Finds the names that were sent more than once. */
function findRepeated(fields: Fields, text: string): string[] {
  // Each name has a colon, so a count shows for most bodies that none is repeated. Reading the
  // members takes as long as parsing.
  if (countColons(text) === countNames(fields)) return [];
  const found = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of readMembers(text)) (found.has(name) ? repeated : found).add(name);
  return [...repeated];
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

/** Counts the names of an object and of the objects in it; NaN if there are more levels. */
function countNames(fields: object, levels = 1): number {
  let count = 0;
  for (const value of Object.values(fields)) {
    count += 1;
    if (typeof value !== 'object' || value === null) continue;
    count += levels === 0 || Array.isArray(value) ? Number.NaN : countNames(value, levels - 1);
  }
  return count;
}
