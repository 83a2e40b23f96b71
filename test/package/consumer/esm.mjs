// A merchant's ES module.
import { readFileSync } from 'node:fs';
import {
  isNotificationError,
  parseNotification,
  safeParseNotification,
} from 'payment-notifications';
import { NotificationSchema } from 'payment-notifications/valibot';
import { safeParse } from 'valibot';

const body = readFileSync('deposit.json');
const notification = parseNotification(body);
const refused = safeParseNotification('{}');
const composed = safeParse(NotificationSchema, body);

console.log(
  JSON.stringify({
    amount: notification.type === 'deposit.received' && notification.actualDepositAmount,
    refusal: !refused.success && isNotificationError(refused.error),
    valibot: composed.success && composed.output.type,
  }),
);
