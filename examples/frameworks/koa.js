import Koa from 'koa';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import getRawBody from 'raw-body';
import { keepRefused, settleOnce } from './merchant.js';

const app = new Koa();

app.use(async (context) => {
  if (!/^\/callbacks\/?$/.test(context.path)) return;
  const body = await getRawBody(context.req, { limit: '100kb' }).catch((error) => {
    context.req.resume(); // or the rest of it blocks the connection
    throw error;
  });
  try {
    const result = safeParseNotification(body);
    if (!result.success) {
      await keepRefused(body, result.error);
      context.status = 400;
      context.body = result.error.issues.map(({ code }) => code);
      return;
    }
    await settleOnce(idempotencyKey(result.notification), result.notification);
    context.body = 'ok';
  } catch (error) {
    // Koa itself would answer with the status of the error, which may be the 200 of some other answer.
    console.error(error);
    context.status = 500;
  }
});

app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
