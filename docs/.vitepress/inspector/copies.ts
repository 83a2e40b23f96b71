// A body as something to paste elsewhere.
import {
  type NotificationType,
  type ParseResult,
  type PaymentNotification,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';

const URL_OF_HANDLER = 'http://127.0.0.1:3000/callbacks';

/** A test that delivers the body to a handler. */
export function toTest(body: string, isRefused: boolean): string {
  const title = isRefused ? 'refuses this body' : 'takes this body';
  return `import { deliver } from 'payment-notifications/testing';
import { expect, test } from 'vitest';

const body = ${JSON.stringify(body)};

test('${title}', async () => {
  const { delivered } = await deliver(body, { url: '${URL_OF_HANDLER}' });
  expect(delivered).toBe(${!isRefused});
});
`;
}

/** The notification as \`JSON.stringify\` writes it; null for a refused body. */
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
