import { createServer } from 'node:http';
import { idempotencyKey, safeParseNotification } from 'payment-notifications';
import getRawBody from 'raw-body';
import { keepRefused, settleOnce } from './merchant.js';

const server = createServer(async (request, response) => {
  /** @type {(status: number, answer: unknown) => void} */
  const answer = (status, json) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  };
  try {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/callbacks' && path !== '/callbacks/') return answer(404, 'not found');
    const body = await getRawBody(request, { limit: '64kb' });
    const { notification, error } = safeParseNotification(body);
    if (error) {
      const codes = error.issues.map(({ code }) => code);
      return answer(await keepRefused(body, error), codes);
    }
    await settleOnce(idempotencyKey(notification), notification);
    answer(200, 'ok');
  } catch (error) {
    // Nobody else catches it, and an unhandled rejection ends the process.
    console.error(error);
    request.resume(); // or the rest of a body that is too large blocks the connection
    const isTooLarge =
      error instanceof Error && 'type' in error && error.type === 'entity.too.large';
    answer(isTooLarge ? 413 : 500, 'not received');
  }
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
