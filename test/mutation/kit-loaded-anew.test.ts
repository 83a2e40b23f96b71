import { depositReceivedBody, type HandlerTestsOptions } from 'payment-notifications/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { withdrawal } from '../sample-bodies.js';
import { FAULTS } from '../testing/handler/faults.js';
import { merchant, NO_WAIT } from '../testing/handler/merchant.js';

// See parser-loaded-anew.test.ts. Causes, amounts and forms of the kit are made at import.

afterEach(() => void vi.restoreAllMocks());

const load = async () => ({
  ...(await import('payment-notifications/testing')),
  ...(await import('../../src/testing/handler/tests.js')),
});
type Kit = Awaited<ReturnType<typeof load>>;
const before = await load();

/** Whatever the tests of a handler send and say; of the test with a name, if it is given. */
async function seenBy({ patientTests }: Kit, options: HandlerTestsOptions, only?: string) {
  const seen: unknown[] = [];
  const post: typeof options.fetch = async (url, { body, headers, ...request }) => {
    seen.push(body, headers);
    return options.fetch?.(url, { body, headers, ...request }) ?? Promise.reject();
  };
  for (const { name, run } of patientTests({ ...options, fetch: post }, NO_WAIT)) {
    if (only === undefined || name === only) seen.push(name, await run().then(() => '', String));
  }
  return seen;
}

const answers = (status: number) => async () => ({ status, text: async () => '' });
const settlesNothing = answers(200);
const fails = answers(500);
const SETUPS: (() => HandlerTestsOptions)[] = [
  merchant,
  () => ({ ...merchant(), headers: { 'content-type': 'application/json' } }),
  () => ({ ...merchant(), fetch: fails }),
  () => ({ ...merchant(), fetch: fails, prepare: undefined }),
  () => ({ ...merchant(), fetch: settlesNothing }),
  () => ({ ...merchant(), fetch: settlesNothing, prepare: undefined }),
  () => ({ ...merchant(), balance: async () => '0.750.75' }),
  () => ({ ...merchant(), breakDatabase: async () => async () => {} }),
  () => ({ ...merchant({ requiresOrder: true }), prepare: undefined }),
  () => ({ ...merchant({ requiresOrder: true }), prepare: async () => {} }),
  () => ({ ...merchant({ refused: { status: 200, text: '' } }), kept: null }),
];

const wrong = (...names: string[]) => names.map((name) => ({ [name]: true as never }));
const NO_OVERRIDES = [
  ...wrong('actualDepositAmount', 'actualWithdrawAmount', 'withdrawFee', 'network', 'unknown'),
  ...wrong('toTxAddress', 'paymentReceivedAt', 'txAddressOwner'),
];
const NO_OPTIONS = [
  ...wrong('url', 'balance', 'kept', 'breakDatabase', 'prepare', 'receives', 'amountOf'),
  ...wrong('deposit', 'withdrawal', 'unknown'),
];
/** What a call throws, as text; empty if nothing. */
function resultOf(call: () => unknown) {
  try {
    call();
    return '';
  } catch (error) {
    return String(error);
  }
}

test('the kit that a test has loaded does what the other does', async () => {
  vi.resetModules();
  const after = await load();
  expect(after.deliver).not.toBe(before.deliver);
  // New events of both have the same identifiers.
  vi.spyOn(Math, 'random').mockReturnValue(0.7);
  const expectEqual = async (options: () => HandlerTestsOptions, only?: string) => {
    const seen = await seenBy(after, options(), only);
    expect(seen).toStrictEqual(await seenBy(before, options(), only));
  };
  for (const options of SETUPS) await expectEqual(options);
  for (const [name, faults] of Object.entries(FAULTS)) {
    for (const [, parts] of faults) await expectEqual(() => merchant(parts), name);
  }
  // Quotes and backslashes in a text are part of its token.
  const named = withdrawal({
    txAddressOwner: JSON.stringify({ name: 'A "B\\" C', category: '\\"' }),
  });
  for (const body of [depositReceivedBody(), withdrawal(), named]) {
    expect(after.bodyVariants(body)).toStrictEqual(before.bodyVariants(body));
    expect(after.faultyBodies(body)).toStrictEqual(before.faultyBodies(body));
  }
  expect(after.DEPOSIT_RETRY).toStrictEqual(before.DEPOSIT_RETRY);
  const refusals = ({ depositReceivedBody, withdrawalBroadcastBody, handlerTests }: Kit) => [
    ...NO_OVERRIDES.map((one) => resultOf(() => depositReceivedBody(one))),
    ...NO_OVERRIDES.map((one) => resultOf(() => withdrawalBroadcastBody(one))),
    ...NO_OPTIONS.map((one) => resultOf(() => handlerTests({ ...merchant(), ...one }))),
  ];
  expect(refusals(after)).toStrictEqual(refusals(before));
});
