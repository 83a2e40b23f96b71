// Posts bodies to a real HTTP server on loopback, shows what its handler received, and compares
// that with the expected outcome: a dozen that tell why the package exists, with --all every
// fixture.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import {
  isNotificationError,
  parseDepositReceived,
  parseNotification,
  parseWithdrawalBroadcast,
} from 'payment-notifications';
import { fixture, fixtures } from '../../fixtures/index.js';
import { inShort } from '../package/outcomes.js';
import { TELLING } from './telling.js';

/** @type {Record<string, import('payment-notifications').BodyParser<unknown>>} */
const PARSERS = { parseDepositReceived, parseWithdrawalBroadcast, parseNotification };

const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
const { all } = values;

// A pager that was closed has read enough.
process.stdout.on('error', () => process.exit(0));

/**
 * A merchant's endpoint in ten lines, with a path for each parser. It answers with what it
 * understood, as JSON.
 */
const server = createServer(async (request, response) => {
  const parse = PARSERS[`${request.url}`.slice(1)] ?? parseNotification;
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
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const origin = `http://127.0.0.1:${address.port}`;
process.exitCode = (await postFixtures()) ? 0 : 1;
server.close();

async function postFixtures() {
  const shown = all ? fixtures : Object.keys(TELLING).map(fixture);
  let failed = 0;
  for (const { id, shows, parser, body, expected } of shown) {
    const response = await fetch(`${origin}/${parser}`, { method: 'POST', body });
    /** @type {any} */
    const received = await response.json();
    const outcome = inShort(received);
    const { idempotencyKey, ...rest } = expected;
    const isExpected =
      isDeepStrictEqual(outcome, expected.notification ?? rest) &&
      response.status === (expected.notification ? 200 : 400);
    if (!isExpected) failed += 1;
    const mark = isExpected ? '✓' : '✗';
    console.log(`${mark} ${id}: ${shows}`);
    /** @type {{ code: string, message: string }[]} */
    const issues = received.issues ?? received.warnings;
    const faults = issues.map(({ code, message }) => `${code} ${message}`);
    for (const line of received.issues ? faults : [summary(received), ...faults]) {
      console.log(`    ${line}`);
    }
    if (!all) console.log(`    Otherwise: ${TELLING[id]}.`);
    if (!isExpected) {
      console.log(`    expected ${JSON.stringify(expected.notification ?? rest)}`);
      console.log(`    received ${response.status} ${JSON.stringify(outcome)}`);
    }
  }
  console.log(`\n${shown.length - failed} passed, ${failed} failed`);
  if (!all) console.log(`npm run demo -- --all posts all ${fixtures.length} fixtures.`);
  return failed === 0;
}

/** @param {any} notification @returns {string} */
function summary({ type, status, toTxAddress, ...fields }) {
  if (type === 'deposit.received') {
    const { actualDepositAmount, depositCurrency, settlementAmount, settlementCurrency } = fields;
    const credited = `credited ${settlementAmount} ${settlementCurrency}`;
    return `${status}: ${actualDepositAmount} ${depositCurrency}, ${credited}`;
  }
  const { actualWithdrawAmount, withdrawCurrency } = fields;
  const { address = 'no address', destinationTag = null } = toTxAddress ?? {};
  const to = destinationTag === null ? address : `${address}, tag ${destinationTag}`;
  return `${status}: ${actualWithdrawAmount ?? 'no amount'} ${withdrawCurrency} to ${to}`;
}
