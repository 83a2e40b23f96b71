import { serve } from 'bun';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

serve({
  port: Number(process.env.PORT ?? 3000),
  hostname: '127.0.0.1',
  routes: { '/callbacks': receive, '/callbacks/': receive },
});

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
