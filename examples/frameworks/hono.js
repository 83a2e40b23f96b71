import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = new Hono({ strict: false }); // with or without a slash at the end

app.all('/callbacks', async (context) => {
  const body = await context.req.arrayBuffer();
  const result = safeParseNotification(body);
  if (!result.success) {
    await keepRefused(body, result.error);
    return context.json(
      result.error.issues.map(({ code }) => code),
      400,
    );
  }
  await settleOnce(idempotencyKey(result.notification), result.notification);
  return context.json('ok');
});

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' });
