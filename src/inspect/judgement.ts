import { type OpenBody, openBody, type UnreadableBody } from '../parser/body.js';
import type { NotificationType } from '../parser/errors.js';
import { readMembers } from '../parser/members.js';
import { referenceOf } from '../parser/messages.js';
import {
  idempotencyKey,
  type PaymentNotification,
  readNotification,
} from '../parser/notification.js';
import type { Fields } from '../parser/objects.js';
import { isNotificationJSON, type RawBody, readBody } from '../parser/parse.js';
import type { Incomplete } from '../parser/read.js';
import { isBody, isObject } from './find-bodies.js';
import type { Inspection } from './inspection.js';
import { likenessOf } from './likeness.js';
import { outcomeOf } from './outcome.js';
import { reportedBy, summarize, summarizeRefusal } from './summary.js';

/** What is said of a body as a whole. A list needs no more, and takes a third of the time. */
export type Judgement = Omit<Inspection, 'fields' | 'absent' | 'jsonFault'>;

/** A judgement, and what was read for it. */
export interface Judged {
  readonly judgement: Judgement;
  /** The fields as sent; null for a body that is not the JSON text of an object. */
  readonly fields: Fields | null;
  /** Null if the body is refused. */
  readonly notification: PaymentNotification | null;
  /** What could be read, also of a refused body; null if that is nothing. */
  readonly read: Incomplete<PaymentNotification> | null;
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
    const likeness = opened.text === undefined ? null : likenessOf(opened.text);
    const refused = { type: as, issues: opened.issues, reference: {} };
    const summary = summarizeRefusal({
      ...refused,
      likeness,
      reported: '',
      isEmpty: false,
      isAboutIds: false,
      inner: null,
      value: null,
    });
    const judgement = { outcome: 'bad', summary, idempotencyKey: null, warnings: [] } as const;
    return {
      judgement: { ...judgement, ...refused },
      fields: null,
      notification: null,
      read: null,
    };
  }
  const { fields, text } = opened;
  const { type, notification, error, reading } = readBody(opened, as, readNotification);
  const read = reading?.notification ?? null;
  const repeated = findRepeated(fields, text);
  const reference = referenceOf(fields);
  const rest = { type, warnings: read?.warnings ?? [], reference };
  if (error === null) {
    const judgement: Judgement = {
      outcome: outcomeOf(notification, repeated),
      summary: summarize(notification, repeated),
      idempotencyKey: idempotencyKey(notification),
      issues: [],
      ...rest,
    };
    return { judgement, fields, notification, read: notification };
  }
  const summary = summarizeRefusal({
    type,
    issues: error.issues,
    reference,
    likeness: null,
    reported: reportedBy(read, repeated),
    isEmpty: Object.keys(fields).length === 0,
    isAboutIds: type === null && !isNotificationJSON(fields),
    inner: type === null ? innerOf(fields) : null,
    value: fields[`${error.issues[0].path[0]}`],
  });
  const { issues } = error;
  const judgement: Judgement = { outcome: 'bad', summary, idempotencyKey: null, issues, ...rest };
  return { judgement, fields, notification: null, read };
}

/** Finds a field that looks like a body, as in a line of a log. */
function innerOf(fields: Fields): string | null {
  const names = Object.keys(fields);
  return names.find((name) => isObject(fields[name]) && isBody(fields[name])) ?? null;
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
