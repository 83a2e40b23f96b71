import { MAX_BYTES } from '../parser/body.js';
import type {
  IssueCode,
  NotificationIssue,
  NotificationReference,
  NotificationType,
} from '../parser/errors.js';
import { nameOfPath } from '../parser/messages.js';
import { show } from './display.js';

/** What is known of a refused body. */
export interface Refusal {
  readonly type: NotificationType | null;
  readonly issues: readonly [NotificationIssue, ...NotificationIssue[]];
  readonly reference: NotificationReference;
}

/** Says in one line why a body is refused, what to do and what to answer. */
export function summarizeRefusal(refusal: Refusal, isSaved: boolean): string {
  const { type, issues, reference } = refusal;
  const [first] = issues;
  // A fault of the body itself explains all others.
  const isOnly = first.path.length === 0 || issues.length === 1;
  const count = isOnly ? 'refused' : `refused for ${issues.length} faults. The first`;
  const answer = isSaved ? '' : adviceOnAnswer(first.code);
  return `The body${subjectOf(reference)} is ${count}: ${faultOf(first, type)}.${adviceOn(first.code, type)}${answer}`;
}

function faultOf(issue: NotificationIssue, type: NotificationType | null): string {
  const { code, path, expected, received } = issue;
  if (code === 'body_too_large') return `it has more than ${MAX_BYTES} bytes`;
  if (code === 'missing_field') return `${nameOfPath(path)} has no value`;
  // Without a type, the identifiers are wrong.
  if (code === 'unrecognized_notification' && type === null) {
    return `it should have ${expected}, but has ${received}`;
  }
  const subject = path.length === 0 ? 'it' : nameOfPath(path);
  return `${subject} should be ${expected}, but is ${received}`;
}

function adviceOn(code: IssueCode, type: NotificationType | null): string {
  // Such a fault already says to check the callback URLs.
  if (code === 'unrecognized_notification' && type !== null) return '';
  // The text may have been changed when somebody copied it.
  const isNoObject = code === 'invalid_json' || code === 'not_an_object';
  return `${isNoObject ? ' If the service sent it like this, ask' : ' Ask'} the service about it.`;
}

function adviceOnAnswer(code: IssueCode): string {
  return code === 'body_too_large'
    ? ' The endpoint should answer 413 and store its start.'
    : ' The endpoint should answer 400 and store the body.';
}

/** What a body is about, as far as that is known: ` of order order-10042`. */
function subjectOf(reference: NotificationReference): string {
  const { depositId, clientPaymentId, withdrawalId, clientWithdrawalId } = reference;
  const events = [
    ...(clientPaymentId === undefined
      ? named('deposit', depositId)
      : named('order', clientPaymentId)),
    ...named('withdrawal', clientWithdrawalId ?? withdrawalId),
  ];
  return events.length === 0 ? '' : ` of ${events.join(' and ')}`;
}

function named(event: string, id: string | undefined): string[] {
  return id === undefined ? [] : [`${event} ${show(id)}`];
}
