import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

/** @param {import('aws-lambda').APIGatewayProxyEventV2} event */
export async function handler({ body: text = '', isBase64Encoded }) {
  const body = Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8');
  const result = safeParseNotification(body);
  if (!result.success) {
    await keepRefused(body, result.error);
    return { statusCode: 400, body: JSON.stringify(result.error.issues.map(({ code }) => code)) };
  }
  await settleOnce(idempotencyKey(result.notification), result.notification);
  return { statusCode: 200, body: '"ok"' };
}
