import { type HandlerTestsOptions, handlerTests } from 'payment-notifications/testing';
import { describe, expect, test, vi } from 'vitest';
import { balanceWith, customerOf, failureOf, failuresOf, right, shop } from './shop.js';

const STRANGERS = 'deposit: a wrong secret is refused';

type Fetch = NonNullable<HandlerTestsOptions['fetch']>;

/** An endpoint that always answers with one status. */
const answers =
  (status: number, text = ''): Fetch =>
  async () => ({ status, text: async () => text });

describe('a test says what is wrong with the setup', () => {
  const STATUS = 'expected a status of 2xx, received';
  const UNMOVED = 'expected +1.75 BTC, received no change.';
  const BALANCE = 'balance: expected decimal text, received';
  const KEPT = 'kept: expected a whole number, received';
  const SO_THAT =
    'so that nobody else can credit. If a proxy or a signature checks who calls, pass secret: null';
  // Some drivers return rows without a prototype, which can't become text.
  const ROW = Object.create(null);
  const up = shop();
  const serves: Fetch = async (url, request) => up.fetch?.(url, request) ?? Promise.reject();
  const stops: Fetch = () => Promise.reject(new Error('socket hang up'));
  const hangs: Fetch = () => new Promise(() => {});
  const unknown = shop((call) => (customerOf(call) ? call.settle() : call.review(200)));

  test.each<[string, Partial<HandlerTestsOptions>, message?: string | undefined, name?: string]>([
    [
      'a server that starts late',
      { ...up, fetch: vi.fn(serves).mockImplementationOnce(stops) },
      `${STATUS} socket hang up. Check that your server runs at the host and the port of url, and answers every request`,
    ],
    [
      'a server that stops',
      { ...up, fetch: vi.fn(stops).mockImplementationOnce(serves) },
      `${STATUS} socket hang up. Your server closed the connection, or stopped. See its log`,
    ],
    [
      'a server that does not answer',
      { fetch: hangs, timeoutMs: 1 },
      `${STATUS} no answer within 1 ms. Check that your server runs at the host and the port of url, and answers every request`,
    ],
    [
      'a server that does not answer later',
      { ...up, fetch: vi.fn(hangs).mockImplementationOnce(serves), timeoutMs: 250 },
      `${STATUS} no answer within 250 ms. The handler never answers this webhook. Answer in every branch, and let errors propagate`,
    ],
    [
      'a redirect',
      { fetch: answers(307) },
      `${STATUS} 307. The server redirects. Check the scheme and the path of url`,
    ],
    [
      'a wrong secret',
      { fetch: answers(404) },
      `${STATUS} 404. Check the path and the secret in url, and that prepare inserts the order`,
    ],
    [
      'a failure',
      { fetch: answers(500, '\u001b[2J'.repeat(99)) },
      `${STATUS} 500 ${'\\u001b[2J'.repeat(50)}. See your server's log, and check that prepare inserts the order`,
    ],
    [
      'a failure without prepare',
      { fetch: answers(500), prepare: undefined },
      `${STATUS} 500. Pass prepare, which inserts the order. If your handler looks up no order, see your server's log`,
    ],
    [
      'no prepare, and the body is saved',
      { ...unknown, prepare: undefined },
      `${UNMOVED} The webhook was saved for review, because its order is unknown. Pass prepare, which inserts the order`,
    ],
    [
      'no prepare, and the body is dropped',
      { fetch: answers(200), prepare: undefined },
      `${UNMOVED} No balance changed. Pass prepare, which inserts the order. If your handler looks up no order, check that balance reads what it changes`,
    ],
    [
      'a prepare that inserts nothing',
      { ...unknown, prepare: async () => {} },
      `${UNMOVED} The webhook was saved for review. Check that prepare inserts the order that your handler looks up. If the handler saves it on purpose, return amount: null from amountOf`,
    ],
    [
      'the balances of another table',
      { balance: async () => null },
      `${UNMOVED} No balance changed. Check that balance reads what your handler changes, and that prepare inserts the order that your handler looks up. If both are right, the handler caught an error, answered before it settled, or its worker stopped`,
    ],
    ['a balance that fails', { balance: () => Promise.reject('closed') }, 'balance: closed'],
    ['a prepare that fails', { prepare: () => Promise.reject('closed') }, 'prepare: closed'],
    [
      'a balance as a number',
      { balance: async () => 0.1 as never },
      `${BALANCE} the number 0.1, which may have lost digits. Cast it in the query: sum(amount)::text`,
    ],
    ['a balance with a comma', { balance: async () => '1,5' }, `${BALANCE} "1,5"`],
    ['a row as balance', { balance: async () => ROW }, `${BALANCE} an object`],
    [
      'a balance with the opposite sign',
      balanceWith((balance) => balance.negated()),
      'expected +1.75 BTC, received -1.75 BTC. The sign is wrong. balance must return credits minus debits',
    ],
    [
      'a balance that something else changes',
      balanceWith((balance, calls) => balance.plus(calls / 8)),
      'expected +1.75 BTC, received +2.375 BTC, +0.625 EUR, +0.625 USDC, +0.5 BITCOIN. The handler moved another currency, or several. Move one amount in the currency of the webhook, or return what you move from amountOf',
    ],
    [
      'a balance that changes after the last answer',
      balanceWith((balance, calls) => balance.plus(calls > 8 ? 1 : 0)),
      'all bodies of this test so far: expected no more changes, received +1 BTC, +1 EUR, +1 USDC, +1 BITCOIN. A balance changed later than it should have. Look for work that is done twice',
    ],
    ['a kept that fails', { kept: () => Promise.reject('closed') }, 'kept: closed'],
    ['an empty kept', { kept: async () => '' }, `${KEPT} an empty string`],
    ['a row as kept', { kept: async () => ROW }, `${KEPT} an object`],
    ['a fraction as kept', { kept: async () => 0.5 }, `${KEPT} 0.5`],
    ['a kept below zero', { kept: async () => '-1' }, `${KEPT} "-1"`],
    [
      'a kept that no number holds exactly',
      { kept: async () => `${2n ** 53n}` },
      `${KEPT} "9007199254740992"`,
    ],
    [
      'an amountOf without what the handler moves',
      { amountOf: () => ({ currency: 'BTC', amount: null }) },
      'expected no change, received +1.75 BTC. The balance changed, although the amount is null. Save the webhook for review, or return the amount from amountOf',
    ],
    [
      'fields that make a body invalid',
      { deposit: () => ({ depositId: 'x' }) },
      'deposit or withdrawal: expected fields of a valid body, but depositId: expected a UUID, received a string of length 1',
    ],
    [
      'an amount that nothing explains',
      shop(({ settle }) => settle({ amount: '99999999.99' })),
      'expected +1.75 BTC, received +99999999.99 BTC. The handler moved another amount. If it converts at a rate, or subtracts or adds a fee, return that amount from amountOf',
    ],
    [
      'a kept that is null, though faulty bodies are accepted',
      { ...shop(right, () => 200), kept: null },
      'expected a status of 4xx, received 200. Save a faulty body for review, and answer 400. If you answer with success, pass kept',
      'deposit: faulty bodies change no balance, and are refused',
    ],
    [
      'a breakDatabase that returns no function',
      { breakDatabase: async () => undefined as never },
      'breakDatabase: expected a function that repairs it, received no value',
      'deposit: a webhook is credited once after writes to the keys failed',
    ],
    [
      'no secret in url',
      { url: 'http://127.0.0.1/callbacks?a=1' },
      `url: expected a secret of at least 16 characters in its path or query, ${SO_THAT}`,
      STRANGERS,
    ],
    [
      'another secret in url',
      { secret: 'another' },
      `url: expected the secret in its path or query, ${SO_THAT}`,
      STRANGERS,
    ],
    ['nothing if url has the secret', { secret: '0123456789' }, undefined, STRANGERS],
    [
      'a breakDatabase that breaks nothing',
      { breakDatabase: async () => async () => {} },
      'expected no change while the database fails, received one. Either breakDatabase broke nothing that the handler uses, or the handler committed the money, and caught a later error. Write the key and the money in one transaction',
      'deposit: a webhook is credited once after writes to the balances failed',
    ],
    [
      'copies that wait for each other',
      { fetch: hangs, timeoutMs: 1 },
      `${STATUS} no answer within 1 ms. Concurrent requests wait for each other, or for a database connection. Use one connection for each request, and release it even after an error`,
      'deposit: five copies at the same time are credited once',
    ],
  ])('%s', async (_, options, message, name) => {
    expect(await failureOf(options, name)).toBe(message);
  });

  test('an option that fails, with its error as the cause', async () => {
    const cause = new Error('no permission');
    const options = { ...shop(), breakDatabase: () => Promise.reject(cause) };
    const name = 'deposit: a webhook is credited once after writes to the keys failed';
    const failures = await failuresOf(options, (one) => one === name);
    expect(failures[name]).toStrictEqual(new Error('breakDatabase: no permission', { cause }));
    expect(failures[name]?.cause).toBe(cause);
  });
});

describe('an invalid option is refused', () => {
  test.each([
    [{ url: undefined }, 'url: expected an http or https URL, received no value'],
    [{ balance: undefined }, 'balance: expected a function, received no value'],
    [{ timeoutMs: -1 }, 'timeoutMs: expected more than 0, received -1'],
    [
      { secret: '' },
      'secret: expected the secret in url, or null to skip its test, received an empty string',
    ],
    [
      { breakDatabase: undefined },
      'breakDatabase: expected a function, or null to skip its tests, received no value',
    ],
    [
      { kept: undefined },
      'kept: expected a function, or null to skip its tests, received no value',
    ],
    [
      { token: null },
      'token: unknown option. Expected one of: url, secret, balance, kept, breakDatabase, prepare, receives, amountOf, deposit, withdrawal, headers, timeoutMs, fetch',
    ],
    [{ amountOf: 'BTC' }, 'amountOf: expected a function, received "BTC"'],
    [{ withdrawal: {} }, 'withdrawal: expected a function, received an object'],
    [
      { receives: 'deposits' },
      'receives: expected deposit.received or withdrawal.broadcast, received "deposits"',
    ],
  ])('%j', (options, message) => {
    const all = { ...shop(), ...options } as HandlerTestsOptions;
    expect(() => handlerTests(all)).toThrow(message);
  });

  test('a URL from a function is read when a test runs', async () => {
    const { url, ...others } = shop();
    let started = false;
    const tests = handlerTests({ ...others, url: () => (started ? `${url}` : '') });
    started = true;
    await tests[0]?.run();
    started = false;
    await expect(tests[0]?.run()).rejects.toThrow('url: expected an http or https URL');
  });
});

test('an answer that quotes the URL is shown without the secret, or a part of it', async () => {
  const { fetch, ...others } = shop();
  const right = `${others.url}`;
  const quoting: typeof fetch = async (url, request) => {
    if (url === right || !right.startsWith(url)) return fetch?.(url, request) ?? Promise.reject();
    return { status: 500, text: async () => `Cannot POST ${new URL(url).pathname}` };
  };
  const message = await failureOf({ fetch: quoting }, STRANGERS);
  expect(message).toMatch(/received 500 Cannot POST \/callbacks\/.{4}…\. /);
});
