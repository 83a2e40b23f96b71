import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from '../../merchant.js';

async function receive(request: Request): Promise<Response> {
  const body = await request.arrayBuffer();
  const result = safeParseNotification(body);
  if (!result.success) {
    await keepRefused(body, result.error);
    return Response.json(
      result.error.issues.map(({ code }) => code),
      { status: 400 },
    );
  }
  await settleOnce(idempotencyKey(result.notification), result.notification);
  return Response.json('ok');
}

// The method is not documented: take any.
export { receive as DELETE, receive as GET, receive as PATCH, receive as POST, receive as PUT };
