import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { idempotencyKey, parseNotification } from 'payment-notifications';
import { settleOnce } from '../../examples/frameworks/merchant.js';

const server = http.createServer(async (request, response) => {
  if (request.url !== '/callbacks') {
    response.writeHead(404).end();
    return;
  }
  const notification = parseNotification(await buffer(request));
  await settleOnce(idempotencyKey(notification), notification);
  response.end();
});
server.listen(0, '127.0.0.1').unref();
await new Promise((resolve) => server.once('listening', resolve));

/** Where a handler for the snippets listens; those of the README's frameworks are tested in `examples`. */
export const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`;
