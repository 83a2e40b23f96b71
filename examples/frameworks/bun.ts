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
