import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as esm from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';
import { NotificationSchema } from 'payment-notifications/valibot';
import * as valibot from 'valibot';
import { expect, inject, test } from 'vitest';
import { output } from './command.js';

const consumer = inject('consumer');

/** A name that goes breaks a user's build, so that is a major release. */
const TYPES = {
  index: `DepositReceived IssueCode NotificationIssue NotificationReference
    NotificationType ParseResult PaymentNotification RawBody TxAddress TxAddressOwner
    WithdrawalBlocked WithdrawalBroadcast WithdrawalCompleted WithdrawalFailed`,
  valibot: '',
  inspect: 'InspectOptions InspectedField Inspection JsonFault Quirk QuirkCode Verdict',
  receiver: `DeliveryContext HeaderSource LogEntry NodeRequest NodeResponse Outcome Place
    ReceivedRequest Receiver ReceiverAnswer ReceiverOptions ReceiverSettings SavedBody Settle Store
    VerifyInput WaitingBody WebRequest WebResponse`,
  store: 'Place SavedBody Store WaitingBody',
  testing: `BodyOptions BodyVariant DatabasePart DeliverOptions DeliveryAttempt DeliveryRequest
    DeliveryResult DepositReceivedOverrides EndpointResponse FaultyBody
    HandlerAmount HandlerTest HandlerTestsOptions WithdrawalBroadcastOverrides`,
};

test.each(Object.entries(TYPES))('%s exports what was agreed on', async (entry, types) => {
  const name = entry === 'index' ? 'payment-notifications' : `payment-notifications/${entry}`;
  // test/pages.test.ts compares them with the page that lists them.
  const values = Object.keys(await import(name));
  for (const [type, load, extension] of [
    ['module', `import * as entry from '${name}';`, 'd.ts'],
    ['commonjs', `const entry = require('${name}');`, 'd.cts'],
  ]) {
    const script = `${load} console.log(JSON.stringify(Object.keys(entry)));`;
    const printed = await output(
      process.execPath,
      [`--input-type=${type}`, '-e', script],
      consumer,
    );
    expect(JSON.parse(printed).sort()).toStrictEqual(values.sort());
    const file = `node_modules/payment-notifications/dist/${entry}.${extension}`;
    const declared = await readFile(join(consumer, file), 'utf8');
    const lists = [...declared.matchAll(/^export \{([^}]*)\}/gm)].map(([, list = '']) => list);
    const names = lists
      .join()
      .split(',')
      .map((one) => one.trim().split(' ').at(-1));
    expect(names.sort()).toStrictEqual([...values, ...types.split(/\s+/)].filter(Boolean).sort());
  }
});

test('an imported and a required copy know each other’s errors, and add their amounts', () => {
  const require = createRequire(import.meta.url);
  const cjs: typeof esm = require('payment-notifications');
  expect(esm.NotificationError).not.toBe(cjs.NotificationError);
  const body = depositReceivedBody({ actualDepositAmount: `0.${'9'.repeat(39)}` });
  for (const [one, other] of [
    [esm, cjs],
    [cjs, esm],
  ] as const) {
    expect(other.isNotificationError(one.safeParseNotification('{}').error)).toBe(true);
    const [ours, theirs] = [one, other].map((copy) => copy.parseDepositReceived(body));
    const sum = theirs && ours?.actualDepositAmount.plus(theirs.actualDepositAmount);
    expect(`${sum}`).toBe(`1.${'9'.repeat(38)}8`);
  }
  // Each with its own valibot.
  expect(valibot.parse(NotificationSchema, body).type).toBe('deposit.received');
  const required = require('payment-notifications/valibot').NotificationSchema;
  expect(require('valibot').parse(required, body).type).toBe('deposit.received');
});
