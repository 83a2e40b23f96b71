const { readFileSync } = require('node:fs');

/**
 * Prints what a merchant's module makes of a deposit and of a body to refuse.
 *
 * @param {typeof import('payment-notifications')} entry
 * @param {typeof import('payment-notifications/valibot')} schemas
 * @param {any} valibot Its types differ from format to format.
 */
module.exports = function show(entry, { NotificationSchema }, { safeParse }) {
  const body = readFileSync('deposit.json');
  const notification = entry.parseNotification(body);
  const refused = entry.safeParseNotification('{}');
  const composed = safeParse(NotificationSchema, body);
  console.log(
    JSON.stringify({
      amount: notification.type === 'deposit.received' && notification.actualDepositAmount,
      refusal: !refused.success && entry.isNotificationError(refused.error),
      valibot: composed.success && composed.output.type,
    }),
  );
};
