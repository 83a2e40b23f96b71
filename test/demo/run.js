// Posts a dozen bodies that tell why the package exists to a real HTTP server on loopback, shows what its handler
// received, and compares that with the expected outcome.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isDeepStrictEqual, styleText } from 'node:util';
import {
  isNotificationError,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';
import { fixture } from '../fixtures.js';
import { inShort } from '../package/outcomes.js';
import { TELLING } from './telling.js';

/** @import { AddressInfo } from 'node:net' */

// A pager that was closed has read enough.
process.stdout.on('error', () => process.exit(0));

const hasColours = process.stdout.hasColors?.() ?? false;

/**
 * @param {Parameters<typeof styleText>[0]} style
 * @param {string} text
 */
const paint = (style, text) => (hasColours ? styleText(style, text) : text);

const PARSERS = { parseDepositReceived, parseWithdrawalBroadcast, parseNotification };

/** A merchant's endpoint, at a path for each parser. It answers with what it understood, as JSON. */
const server = createServer(async (request, response) => {
  const parse = PARSERS[/** @type {keyof typeof PARSERS} */ (String(request.url).slice(1))];
  try {
    const notification = parse(Buffer.concat(await request.toArray()));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(notification));
  } catch (error) {
    response.writeHead(isNotificationError(error) ? 400 : 500);
    response.end(JSON.stringify(error));
  }
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {AddressInfo} */ (server.address());

let failed = 0;
for (const [name, { what, otherwise }] of Object.entries(TELLING)) {
  const { body, expected } = fixture(name);
  const { parser, idempotencyKey, notification, ...refusal } = expected;
  const url = `http://127.0.0.1:${port}/${parser}`;
  const response = await fetch(url, { method: 'POST', body });
  /** @type {any} */
  const received = await response.json();
  const outcome = inShort(received);
  const isExpected =
    isDeepStrictEqual(outcome, notification ?? refusal) &&
    response.status === (notification ? 200 : 400);
  if (!isExpected) failed += 1;
  const mark = isExpected ? paint('green', '✓') : paint('red', '✗');
  console.log(`${mark} ${paint('bold', name)}: ${what}`);
  /** @type {{ code: string, message: string }[]} */
  const issues = received.issues ?? received.warnings;
  const faults = issues.map(({ code, message }) => `${paint('yellow', code)} ${message}`);
  for (const line of received.issues ? faults : [...summary(received), ...faults]) {
    console.log(`    ${line}`);
  }
  console.log(paint('dim', `    Otherwise: ${otherwise}.`));
  if (!isExpected) {
    console.log(paint('red', `    expected ${JSON.stringify(notification ?? refusal)}`));
    console.log(paint('red', `    received ${response.status} ${JSON.stringify(outcome)}`));
  }
}
server.close();
const passed = Object.keys(TELLING).length - failed;
console.log(`\n${paint(failed === 0 ? 'green' : 'red', `${passed} passed, ${failed} failed`)}`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * @param {any} notification
 * @returns {string[]}
 */
function summary(notification) {
  if (notification.type === 'deposit.received') {
    const { status, actualDepositAmount, depositCurrency, settlementAmount, settlementCurrency } =
      notification;
    return [
      `${status}: ${paint('cyan', `${actualDepositAmount} ${depositCurrency}`)}`,
      `credited ${settlementAmount} ${settlementCurrency}`,
    ];
  }
  const { status, actualWithdrawAmount, estimatedWithdrawAmount, withdrawCurrency } = notification;
  const { address = 'no known address', destinationTag = null } = notification.toTxAddress ?? {};
  const amount = actualWithdrawAmount ?? `${estimatedWithdrawAmount} (estimated)`;
  return [
    `${status}: ${paint('cyan', `${amount} ${withdrawCurrency}`)}`,
    `to ${address}${destinationTag === null ? '' : `, tag ${destinationTag}`}`,
  ];
}
