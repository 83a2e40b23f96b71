// A process in which one dependency imports the package and another one requires it, beside the
// host's valibot.
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import * as esm from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';
import { NotificationSchema } from 'payment-notifications/valibot';
import * as valibot from 'valibot';

const require = createRequire(import.meta.url);
/** @type {typeof esm} */
const cjs = require('payment-notifications');

// As many digits as an amount may have.
const actualDepositAmount = `${'9'.repeat(39)}.${'9'.repeat(39)}`;
const body = depositReceivedBody({ actualDepositAmount });
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
    composed: [
      valibot.parse(NotificationSchema, body).type,
      require('valibot').parse(require('payment-notifications/valibot').NotificationSchema, body)
        .type,
    ],
  }),
);
