import { formatCount } from '../inspect/display.js';
import type { NotificationIssue } from '../parser/errors.js';
import type { DeliveryAttempt } from '../testing/deliver.js';

/** Maximum length of a displayed answer, and of the faults of a body, in characters. */
const MAX_SHOWN = 200;
/** Statuses for a wrong URL, wrong credentials or too many requests, whatever the body. */
const NOT_ABOUT_THE_BODY = [401, 403, 404, 405, 407, 429];

/** Whether an answer refuses a body, and doesn't report another failure. */
export function isRefusal({ answer }: DeliveryAttempt): boolean {
  const { status = 0 } = answer ?? {};
  return status >= 400 && status < 500 && !NOT_ABOUT_THE_BODY.includes(status);
}

export function describeAttempt({ answer, error, durationMs }: DeliveryAttempt): string {
  if (answer === null) return `failed: ${shown(error)}`;
  const hint = answer.status === 404 ? " (is the URL's secret right?)" : '';
  return `${answer.status} in ${durationMs} ms${hint}`;
}

export function remarkOn(issues: readonly NotificationIssue[], attempt: DeliveryAttempt): string {
  if (issues.length === 0) return '';
  if (isRefusal(attempt)) return 'refused, as it should be';
  if (!attempt.success) return '';
  const faults = issues.map(({ message }) => message).join('; ');
  return `accepted, but it should be refused: ${shown(faults)}`;
}

export function shown(text: string): string {
  const whole = text.trim();
  return whole.length > MAX_SHOWN ? `${whole.slice(0, MAX_SHOWN)}…` : whole;
}

/** How many bodies were sent, and how many of them were answered as they should be. */
export interface Counts {
  sent: number;
  right: number;
}

export function countsLine(valid: Counts, faulty: Counts): string {
  const count = ({ sent, right }: Counts, what: string): string[] =>
    sent === 0 ? [] : [`${formatCount(right)} of ${formatCount(sent)} ${what}`];
  const parts = [...count(valid, 'delivered'), ...count(faulty, 'faulty ones refused')];
  return parts.length === 0 ? 'Nothing was sent.\n' : `${parts.join(', ')}\n`;
}
