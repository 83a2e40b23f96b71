// A body as text to paste elsewhere.
import {
  type NotificationType,
  type ParseResult,
  type PaymentNotification,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import type { Inspection } from 'payment-notifications/inspect';

const URL_OF_HANDLER = 'http://127.0.0.1:3000/callbacks';

/** A test that delivers the body to a handler. It fails if no handler answers. */
export function toTest(body: string, { issues }: Inspection): string {
  const [issue] = issues;
  const status = issue?.code === 'body_too_large' ? 413 : 400;
  const title = issue ? 'refuses this body' : 'accepts this body';
  const [result, expectation] = issue
    ? ['attempts', `attempts[0]?.answer?.status).toBe(${status})`]
    : ['delivered', 'delivered).toBe(true)'];
  return `import { deliver } from 'payment-notifications/testing';
import { expect, test } from 'vitest';

const body = ${JSON.stringify(body)};

test('${title}', async () => {
  const { ${result} } = await deliver(body, { url: '${URL_OF_HANDLER}' });
  expect(${expectation};
});
`;
}

/** The notification as JSON; null for a refused body. */
export function toNotificationJson(
  body: string | Uint8Array,
  as: NotificationType | undefined,
): string | null {
  const { notification } = parse(body, as);
  return notification ? `${JSON.stringify(notification, null, 2)}\n` : null;
}

function parse(
  body: string | Uint8Array,
  as: NotificationType | undefined,
): ParseResult<PaymentNotification> {
  if (as === undefined) return safeParseNotification(body);
  return as === 'deposit.received'
    ? safeParseDepositReceived(body)
    : safeParseWithdrawalBroadcast(body);
}
