import { isBytes, type OpenBody, openBody, type UnreadableBody } from '../parser/body.js';
import type { NotificationType } from '../parser/errors.js';
import { describe, referenceOf } from '../parser/messages.js';
import {
  idempotencyKey,
  type PaymentNotification,
  readNotification,
} from '../parser/notification.js';
import { type RawBody, readBody } from '../parser/parse.js';
import type { Reading } from '../parser/read.js';
import { damageOf } from './damage.js';
import type { Inspection } from './inspection.js';
import { checksOf, isToCheck } from './outcome.js';
import { findRepeated } from './repeated.js';
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
  if (opened.fields === null) return refuseUnread(body, as, opened);
  const { type, notification, error, reading } = readBody(opened, as, readNotification);
  const repeated = findRepeated(opened);
  const read = reading?.notification ?? null;
  const rest = { type, warnings: read?.warnings ?? [], reference: referenceOf(opened.fields) };
  if (error === null) {
    const checks = checksOf(notification, repeated);
    const warnings = rest.warnings.filter((warning) => isToCheck(warning, reading));
    const judgement: Judgement = {
      outcome: checks.length + warnings.length > 0 ? 'check' : 'good',
      summary: summarize(notification, repeated, warnings),
      idempotencyKey: idempotencyKey(notification),
      issues: [],
      ...rest,
    };
    return { judgement, checks, opened, reading, noJson: null };
  }
  const { issues } = error;
  const summary = summarizeRefusal({
    type,
    issues,
    reference: rest.reference,
    damage: null,
    reported: read === null ? '' : reportedBy(read, repeated),
    isEmpty: Object.keys(opened.fields).length === 0,
    contained: issues[0].received === 'neither' ? countEvents(opened.text, 1) : '',
  });
  const refused = { outcome: 'refused', summary, idempotencyKey: null, issues } as const;
  return { judgement: { ...refused, ...rest }, checks: [], opened, reading, noJson: null };
}

function refuseUnread(
  body: RawBody,
  as: NotificationType | null,
  { issues, text }: UnreadableBody,
): Judged {
  const rest = { type: as, issues, reference: {} };
  const summary = summarizeRefusal({
    ...rest,
    reported: '',
    isEmpty: false,
    contained:
      text === undefined ? countEvents(jsonOf(body, issues[0].code), 1) : countEvents(text, 2),
    damage: text === undefined ? null : damageOf(text),
  });
  const refused = { outcome: 'refused', summary, idempotencyKey: null, warnings: [] } as const;
  const judgement = { ...refused, ...rest };
  return { judgement, checks: [], opened: null, reading: null, noJson: text ?? null };
}

/** The text of a body that is JSON, but no object; empty for any other. */
function jsonOf(body: RawBody, code: string): string {
  if (code !== 'not_an_object') return '';
  return typeof body === 'string' ? body : new TextDecoder().decode(body);
}
