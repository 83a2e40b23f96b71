import { H3, serve } from 'h3';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = new H3();

app.all('/callbacks', async (event) => {
  const body = await event.req.arrayBuffer();
  try {
    const { notification, error } = safeParseNotification(body);
    if (error) {
      event.res.status = await keepRefused(body, error);
      return error.issues.map(({ code }) => code);
    }
    await settleOnce(idempotencyKey(notification), notification);
    return 'ok';
  } catch (error) {
    // h3 itself would answer with the status of the error, which may be the 200 of some other answer.
    console.error(error);
    event.res.status = 500;
    return 'not received';
  }
});

serve(app, { port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' });
