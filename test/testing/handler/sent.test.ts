import { type PaymentNotification, parseDepositReceived } from 'payment-notifications';
import {
  type DeliveryRequest,
  depositReceivedBody,
  type HandlerTestsOptions,
} from 'payment-notifications/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { failuresOf, orderOf, shop } from './shop.js';

afterEach(() => void vi.restoreAllMocks());

/** What a test of a correct handler sends and asks. It passes. */
async function requestsOf(options: HandlerTestsOptions, name?: string) {
  const requests: DeliveryRequest[] = [];
  const prepared: PaymentNotification[][] = [];
  const asked = new Set<string>();
  const recording: HandlerTestsOptions = {
    ...options,
    fetch(url, request) {
      requests.push(request);
      return options.fetch?.(url, request) ?? Promise.reject();
    },
    async balance(currency) {
      asked.add(currency);
      return options.balance(currency);
    },
    async prepare(orders) {
      prepared.push([...orders]);
      await options.prepare?.(orders);
    },
  };
  expect(await failuresOf(recording, (one) => name === undefined || one === name)).toEqual({});
  return { requests, prepared, asked };
}

const TYPE = 'application/vnd.merchant+json';
const TYPES = ['application/json', 'application/json; charset=utf-8', 'application/octet-stream'];

test.each([
  ['content-type', 1, [TYPE]],
  ['Content-Type', 1, [TYPE]],
  ['x-request-id', 5, [...TYPES, 'text/plain', undefined]],
])(
  'with a header %s of the merchant, the number of content types is %i',
  async (name, _, types) => {
    const options = { ...shop(), headers: { [name]: TYPE } };
    const { requests } = await requestsOf(
      options,
      'deposit: every form of a webhook is credited once',
    );
    const sent = new Set(requests.map(({ headers }) => headers['content-type']));
    expect([...sent].sort()).toEqual(types);
  },
);

test('every form of a time is of the same moment, or has its decimals', async () => {
  const name = 'deposit: a webhook with a time in another form is credited, or saved for review';
  const { requests } = await requestsOf(shop(), name);
  const times = requests.map(({ body }) =>
    parseDepositReceived(`${body}`).expirationTime?.getTime(),
  );
  const moment = Number(parseDepositReceived(depositReceivedBody()).expirationTime);
  expect(times).toEqual([moment, moment + 250, moment, moment, moment, moment]);
});

test('addresses of each usual length are sent', async () => {
  const name = 'deposit: other fields may have any valid value';
  const { requests } = await requestsOf(shop(), name);
  const lengths = requests.map(
    ({ body }) => parseDepositReceived(`${body}`).depositAddress?.length,
  );
  // 41 is that of the sample.
  expect(new Set(lengths)).toEqual(new Set([41, 34, 42, 62, 103]));
});

test('balance is asked for the currencies of the bodies', async () => {
  const { asked } = await requestsOf(shop());
  const codes = 'BITCOIN BTC CHF DOGE ETH EUR LTC MATIC PYUSD USD USDC USDT XRP';
  expect([...asked].sort().join(' ')).toBe(codes);
});

test('prepare gets each order once, only orders that something is sent for, and several at a time', async () => {
  const { requests, prepared } = await requestsOf(shop());
  const bodies = requests.map(({ body }) => Buffer.from(body as string).toString('latin1'));
  const ids = prepared.flat().map(orderOf);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !bodies.some((body) => body.includes(id)))).toEqual([]);
  expect(prepared.length).toBeLessThan(ids.length / 3);
});

test('a small seed makes whole UUIDs and hashes, too', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const { requests, prepared } = await requestsOf(shop());
  const ids = prepared.flat().map(orderOf);
  expect(ids.filter((id) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id))).toEqual([]);
  const hashes = requests.flatMap(
    ({ body }) => `${body}`.match(/(?<="transactionId":")0x\w+/) ?? [],
  );
  expect(new Set(hashes.map((hash) => hash.length))).toEqual(new Set([66]));
});
