import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

/** @param {import('aws-lambda').APIGatewayProxyEventV2} event */
export async function handler({ body: text = '', isBase64Encoded }) {
  const body = Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8');
  const { notification, error } = safeParseNotification(body);
  if (error) {
    const statusCode = await keepRefused(body, error);
    return { statusCode, body: JSON.stringify(error.issues.map(({ code }) => code)) };
  }
  await settleOnce(idempotencyKey(notification), notification);
  return { statusCode: 200, body: '"ok"' };
}
