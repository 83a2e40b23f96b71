import fastify from 'fastify';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = fastify();

app.register(async (callbacks) => {
  // Only in here, bodies stay bytes: no JSON.parse touches a digit.
  callbacks.removeAllContentTypeParsers();
  callbacks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });

  callbacks.post('/callbacks', async (request, reply) => {
    const body = /** @type {Buffer | undefined} */ (request.body);
    const result = safeParseNotification(body);
    if (!result.success) {
      await keepRefused(body, result.error);
      return reply.code(400).send(result.error.issues.map(({ code }) => code));
    }
    await settleOnce(idempotencyKey(result.notification), result.notification);
    return reply.send('ok');
  });
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
