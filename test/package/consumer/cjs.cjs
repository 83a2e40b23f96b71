// A merchant's CommonJS module.
const { readFileSync } = require('node:fs');
const {
  isNotificationError,
  parseNotification,
  safeParseNotification,
} = require('payment-notifications');
const { NotificationSchema } = require('payment-notifications/valibot');
const { safeParse } = require('valibot');

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
