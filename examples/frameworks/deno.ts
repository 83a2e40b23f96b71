import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

Deno.serve(
  { port: Number(Deno.env.get('PORT') ?? 3000), hostname: '127.0.0.1' },
  async (request) => {
    if (!/^\/callbacks\/?$/.test(new URL(request.url).pathname)) {
      return new Response('not found', { status: 404 });
    }
    const body = await request.arrayBuffer();
    const { notification, error } = safeParseNotification(body);
    if (error) {
      const status = await keepRefused(body, error);
      const codes = error.issues.map(({ code }) => code);
      return Response.json(codes, { status });
    }
    await settleOnce(idempotencyKey(notification), notification);
    return Response.json('ok');
  },
);
