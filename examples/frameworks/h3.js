import { H3, serve } from 'h3';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = new H3();

app.all('/callbacks', async (event) => {
  const body = await event.req.arrayBuffer();
  const result = safeParseNotification(body);
  if (!result.success) {
    await keepRefused(body, result.error);
    event.res.status = 400;
    return result.error.issues.map(({ code }) => code);
  }
  await settleOnce(idempotencyKey(result.notification), result.notification);
  return 'ok';
});

serve(app, { port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' });
