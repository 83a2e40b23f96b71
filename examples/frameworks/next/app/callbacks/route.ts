import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from '../../merchant.js';

async function receive(request: Request): Promise<Response> {
  const body = await request.arrayBuffer();
  const { notification, error } = safeParseNotification(body);
  if (error) {
    const status = await keepRefused(body, error);
    const codes = error.issues.map(({ code }) => code);
    return Response.json(codes, { status });
  }
  await settleOnce(idempotencyKey(notification), notification);
  return Response.json('ok');
}

// The method is not documented: take any.
export { receive as DELETE, receive as GET, receive as PATCH, receive as POST, receive as PUT };
