import { createServer } from 'node:http';
import {
  isNotificationError,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';

/** Where the demo's merchant receives its callbacks. */
export const PATHS = {
  parseDepositReceived: '/callbacks/deposit',
  parseWithdrawalBroadcast: '/callbacks/withdrawal',
  parseNotification: '/callbacks',
};

/** @import { BodyParser } from 'payment-notifications' */

/** @type {Map<string | undefined, BodyParser<unknown>>} */
const parsers = new Map([
  [PATHS.parseDepositReceived, parseDepositReceived],
  [PATHS.parseWithdrawalBroadcast, parseWithdrawalBroadcast],
  [PATHS.parseNotification, parseNotification],
]);

/** A merchant's endpoint in ten lines. It answers with what it understood, as JSON. */
export const server = createServer(async (request, response) => {
  const parse = parsers.get(request.url);
  if (!parse) {
    response.writeHead(404).end();
    return;
  }
  const chunks = await request.toArray();
  try {
    const notification = parse(Buffer.concat(chunks));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(notification));
  } catch (error) {
    response.writeHead(isNotificationError(error) ? 400 : 500);
    response.end(JSON.stringify(error));
  }
});
