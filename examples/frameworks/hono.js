import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = new Hono({ strict: false }); // with or without a slash at the end

app.all('/callbacks', async (context) => {
  const body = await context.req.arrayBuffer();
  const { notification, error } = safeParseNotification(body);
  if (error) {
    const status = await keepRefused(body, error);
    const codes = error.issues.map(({ code }) => code);
    return context.json(codes, status);
  }
  await settleOnce(idempotencyKey(notification), notification);
  return context.json('ok');
});

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' });
