import { isBytes, type OpenBody, openBody } from '../parser/body.js';
import type { NotificationType } from '../parser/errors.js';
import { describe, isNonEmpty, referenceOf } from '../parser/messages.js';
import {
  idempotencyKey,
  type PaymentNotification,
  readNotification,
} from '../parser/notification.js';
import { type RawBody, readBody } from '../parser/parse.js';
import type { Reading } from '../parser/read.js';
import { readMembers } from '../shared/members.js';
import type { Inspection } from './inspection.js';
import { summarize, summarizeRefusal } from './summary.js';
import { judgeNotification } from './verdict.js';

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

/** Options of `inspectBody`. */
export interface InspectOptions {
  /**
   * The type that the endpoint expects. By default, it is detected by the identifier of the body.
   */
  readonly as?: NotificationType | undefined;
  /** Whether the body is stored. Then the summary doesn't say that the endpoint should do that. */
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
    const { issues, text: noJson = null } = opened;
    const refusal = { type: as ?? null, issues, reference: {} };
    return { ...refused(refusal, isSaved), opened: null, reading: null, noJson };
  }
  const { type, issues, reading } = readBody(opened, as ?? null, readNotification);
  const judged = { opened, reading, noJson: null };
  const reference = referenceOf(opened.fields);
  const warnings = reading?.notification.warnings ?? [];
  if (isNonEmpty(issues)) {
    return { ...refused({ type, issues, reference }, isSaved, warnings), ...judged };
  }
  // Without an issue, there is a reading, in which no required field is null.
  const { notification, rules } = reading as CompleteReading;
  const repeated = findRepeated(opened.text);
  const finding = judgeNotification(notification, repeated, rules);
  const judgement: Judgement = {
    outcome: finding.outcome,
    summary: summarize(notification, repeated, finding.warnings),
    idempotencyKey: idempotencyKey(notification),
    ...{ type, issues, warnings, reference },
  };
  return { ...judged, judgement, checks: finding.checks };
}

function refused(
  refusal: Parameters<typeof summarizeRefusal>[0],
  isSaved: boolean,
  warnings: Judgement['warnings'] = [],
): Pick<Judged, 'judgement' | 'checks'> {
  const summary = summarizeRefusal(refusal, isSaved);
  const judgement = { outcome: 'refused', summary, idempotencyKey: null } as const;
  return { judgement: { ...judgement, ...refusal, warnings }, checks: [] };
}

/** Finds the names that were sent more than once. */
function findRepeated(text: string): string[] {
  const found = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of readMembers(text)) (found.has(name) ? repeated : found).add(name);
  return [...repeated];
}
