import fastify from 'fastify';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import { keepRefused, settleOnce } from './merchant.js';

const app = fastify({ bodyLimit: 65_536, routerOptions: { ignoreTrailingSlash: true } });

app.register(async (callbacks) => {
  // Only in here, bodies stay bytes: no JSON.parse touches a digit. Whatever content type comes:
  // Fastify would answer a malformed one with 415.
  callbacks.addHook('onRequest', async ({ headers }) => {
    headers['content-type'] = 'application/octet-stream';
  });
  callbacks.removeAllContentTypeParsers();
  callbacks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });

  // Fastify itself would send the error's message, and print nothing.
  callbacks.setErrorHandler((error, _request, reply) => {
    console.error(error);
    const isTooLarge =
      error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE';
    return reply.code(isTooLarge ? 413 : 500).send('not received');
  });

  callbacks.all('/callbacks', async (request, reply) => {
    const body = /** @type {Buffer | undefined} */ (request.body) ?? Buffer.alloc(0);
    const { notification, error } = safeParseNotification(body);
    if (error) {
      reply.code(await keepRefused(body, error));
      return reply.send(error.issues.map(({ code }) => code));
    }
    await settleOnce(idempotencyKey(notification), notification);
    return reply.send('ok');
  });
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
