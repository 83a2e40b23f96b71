import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './pack.js';

/** A name that goes breaks a user's build, so that is a major release. */
const TYPES = {
  index: `BodyParser DepositReceived IssueCode NotificationIssue NotificationReference
    NotificationType ParseResult PaymentNotification RawBody TxAddress TxAddressOwner
    WithdrawalBlocked WithdrawalBroadcast WithdrawalCompleted WithdrawalFailed`,
  valibot: '',
  inspect: 'InspectOptions InspectedField Inspection JsonFault Outcome Quirk QuirkCode',
  receiver: `Delivery DeliveryContext HeaderSource LogEntry NodeRequest NodeResponse Outcome
    ReceivedRequest Receiver ReceiverAnswer ReceiverOptions ReceiverSettings SavedBody Settle Store
    WebRequest WebResponse`,
  store: 'SavedBody Store',
  testing: `AttemptOptions BodyOptions BodyVariant DatabasePart DeliverOptions Delivery DeliveryAttempt
    DeliveryOutcome DeliveryRequest DepositReceivedOverrides EndpointResponse FaultyBody
    HandlerAmount HandlerTest HandlerTestsOptions RetryPolicy WithdrawalBroadcastOverrides`,
};

const require = createRequire(import.meta.url);

test.each(Object.entries(TYPES))('%s exports what was agreed on', async (entry, types) => {
  const name = entry === 'index' ? 'payment-notifications' : `payment-notifications/${entry}`;
  // test/pages.test.ts compares them with the page that lists them.
  const values = Object.keys(await import(name));
  expect(Object.keys(require(name)).sort()).toStrictEqual(values.sort());
  const declared = await readFile(join(ROOT, `dist/${entry}.d.ts`), 'utf8');
  expect(declared, 'docblocks').toMatch(/^ *\/\*\*/m);
  const lists = [...declared.matchAll(/^export \{([^}]*)\}/gm)].map(([, list = '']) => list);
  const names = lists.flatMap((list) => list.split(',').map((one) => one.trim().split(' ').at(-1)));
  expect(names.sort()).toStrictEqual([...values, ...types.split(/\s+/)].filter(Boolean).sort());
});
