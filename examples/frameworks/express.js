import express from 'express';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = express();

// Neither methods nor headers are documented: take any, and the bytes as they came.
const raw = express.raw({
  limit: '64kb', // beyond it, Express logs the error and answers 413
  type({ headers }) {
    delete headers['content-encoding']; // or what is labelled wrongly would be answered with 415
    return true;
  },
});

app.all('/callbacks', raw, async (request, response) => {
  // Without a body, Express leaves it undefined.
  const body = request.body ?? Buffer.alloc(0);
  if (!Buffer.isBuffer(body))
    throw new Error('it was parsed before: mount this above express.json()');
  const { notification, error } = safeParseNotification(body);
  if (error) {
    response.status(await keepRefused(body, error));
    response.json(error.issues.map(({ code }) => code));
    return;
  }
  await settleOnce(idempotencyKey(notification), notification);
  response.json('ok');
});

app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
