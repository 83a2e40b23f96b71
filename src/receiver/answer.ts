import type { NotificationError } from '../parser/errors.js';
import type { Arrived } from './arrive.js';
import type { Outcome } from './log.js';
import type { ReceiverAnswer } from './options.js';

const FAILED: ReceiverAnswer = { status: 500, text: 'failed' };
export const NOT_FOUND: ReceiverAnswer = { status: 404, text: 'not found' };
const UNAUTHORIZED: ReceiverAnswer = { status: 401, text: 'unauthorized' };
/** For a dashboard that checks the URL, a link preview, and someone who opens it. */
const VISITED: ReceiverAnswer = {
  status: 200,
  text: 'This URL receives webhooks of the payment service. Each of them has a body.',
};

/**
 * @param outcome - The outcome of a webhook; null for a request that was turned away.
 * @param success - The answer to an event that is settled or saved for review.
 */
export function answerTo(
  arrived: Arrived,
  outcome: Outcome | null,
  success: ReceiverAnswer,
): ReceiverAnswer {
  if (arrived.kind === 'a wrong secret') return NOT_FOUND;
  if (arrived.kind === 'a failed check') return UNAUTHORIZED;
  if (arrived.kind === 'a visit') return VISITED;
  if (arrived.kind === 'refused' && outcome === 'refused') return refusalOf(arrived.error);
  return outcome === 'settled' || outcome === 'review' ? success : FAILED;
}

function refusalOf({ issues }: NotificationError): ReceiverAnswer {
  const codes = new Set(issues.map(({ code }) => code));
  return { status: codes.has('body_too_large') ? 413 : 400, text: [...codes].join(', ') };
}
