import Koa from 'koa';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import getRawBody from 'raw-body';
import { keepRefused, settleOnce } from './merchant.js';

const app = new Koa();

app.use(async (context) => {
  if (!/^\/callbacks\/?$/.test(context.path)) return;
  try {
    const body = await getRawBody(context.req, { limit: '64kb' });
    const { notification, error } = safeParseNotification(body);
    if (error) {
      context.status = await keepRefused(body, error);
      context.body = error.issues.map(({ code }) => code);
      return;
    }
    await settleOnce(idempotencyKey(notification), notification);
    context.body = 'ok';
  } catch (error) {
    // Koa itself would answer with the status of the error, which may be the 200 of some other answer.
    console.error(error);
    context.req.resume(); // or the rest of a body that is too large blocks the connection
    const isTooLarge =
      error instanceof Error && 'type' in error && error.type === 'entity.too.large';
    context.status = isTooLarge ? 413 : 500;
  }
});

app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
