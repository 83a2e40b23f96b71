import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

export default {
  async fetch(request: Request): Promise<Response> {
    if (!/^\/callbacks\/?$/.test(new URL(request.url).pathname)) {
      return new Response('not found', { status: 404 });
    }
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
  },
};
