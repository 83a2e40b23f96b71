// A merchant's CommonJS module that imports when it needs to.
const { readFileSync } = require('node:fs');

async function main() {
  const { isNotificationError, parseNotification, safeParseNotification } = await import(
    'payment-notifications'
  );
  const { NotificationSchema } = await import('payment-notifications/valibot');
  const { safeParse } = await import('valibot');

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
}

main();
