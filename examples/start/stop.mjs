import { once } from 'node:events';

/** @import { Server } from 'node:http' */
/** @import { Receiver } from 'payment-notifications/receiver' */

/**
 * Lets a server of Node.js stop without losing a webhook: on SIGINT, SIGTERM or SIGHUP, it ends as
 * soon as each webhook in progress is settled or saved. Allow it the receiver's `timeoutMs` and 15
 * seconds.
 *
 * @param {import('node:net').Server} server Of `node:http`, or of the framework.
 * @param {Receiver} receiver
 */
export function stopOnSignal(server, receiver) {
  const http = /** @type {Server} */ (server);
  process.stdout.on('error', () => {}); // a closed pipe, such as of `| tee`, must not end the process
  // Load balancers must close idle connections first. Otherwise, they send a webhook on a
  // connection that this server is closing.
  http.keepAliveTimeout = 75_000;
  // While the server stops, a kept connection would bring more webhooks.
  http.prependListener('request', (_, response) => {
    if (!http.listening) response.setHeader('connection', 'close');
  });
  // Not `once`: a second signal would end the process before the webhooks in progress are saved.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

  async function stop() {
    // A server that closes has no timeouts, so half a request would keep it open.
    setTimeout(() => http.closeAllConnections(), 5_000);
    http.close();
    await once(http, 'close');
    await receiver.stop(); // a sender may have hung up before its webhook is settled
    process.exit();
  }
}
