// A process in which one dependency imports the package and another one requires it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import * as esm from 'payment-notifications';

/** @type {typeof esm} */
const cjs = createRequire(import.meta.url)('payment-notifications');

const body = JSON.parse(readFileSync('deposit.json', 'utf8'));
// As many digits as an amount may have.
body.actualDepositAmount = `${'9'.repeat(39)}.${'9'.repeat(39)}`;
const imported = esm.parseDepositReceived(body).actualDepositAmount;
const required = cjs.parseDepositReceived(body).actualDepositAmount;

const refusedByEsm = esm.safeParseNotification('{}');
const refusedByCjs = cjs.safeParseNotification('{}');

console.log(
  JSON.stringify({
    copies: esm.NotificationError === cjs.NotificationError ? 1 : 2,
    esmKnowsCjs: !refusedByCjs.success && esm.isNotificationError(refusedByCjs.error),
    cjsKnowsEsm: !refusedByEsm.success && cjs.isNotificationError(refusedByEsm.error),
    printed: [refusedByEsm.error, refusedByCjs.error].map((error) => inspect(error).split(':')[0]),
    esmPlusCjs: imported.plus(required),
    cjsPlusEsm: required.plus(imported),
    esmTimesCjs: imported.times(required),
  }),
);
