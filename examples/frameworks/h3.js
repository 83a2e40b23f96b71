import { H3, serve } from 'h3';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = new H3();

app.all('/callbacks', async (event) => {
  const body = await event.req.arrayBuffer();
  try {
    const result = safeParseNotification(body);
    if (!result.success) {
      await keepRefused(body, result.error);
      event.res.status = 400;
      return result.error.issues.map(({ code }) => code);
    }
    await settleOnce(idempotencyKey(result.notification), result.notification);
    return 'ok';
  } catch (error) {
    // h3 itself would answer with the status of the error, which may be the 200 of some other answer.
    console.error(error);
    event.res.status = 500;
    return 'not received';
  }
});

serve(app, { port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' });
