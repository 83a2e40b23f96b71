import express from 'express';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = express();

// The method and content type are not documented: take any.
app.all('/callbacks', express.raw({ type: () => true }), async (request, response) => {
  // Without a body, Express leaves it undefined.
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body))
    throw new Error('it was parsed before: mount this above express.json()');
  const result = safeParseNotification(body);
  if (!result.success) {
    await keepRefused(body, result.error);
    response.status(400).json(result.error.issues.map(({ code }) => code));
    return;
  }
  await settleOnce(idempotencyKey(result.notification), result.notification);
  response.json('ok');
});

app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
