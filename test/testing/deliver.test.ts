import { getEventListeners } from 'node:events';
import {
  DEPOSIT_RETRY,
  type DeliverOptions,
  type DeliveryAttempt,
  type DeliveryRequest,
  deliver,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { against, answers, type Behaviour, failsTimes } from '../endpoint.js';

const DEPOSIT = depositReceivedBody();
const WITHDRAWAL = withdrawalBroadcastBody();
const MINUTE = 60_000;

/** Delivers to an endpoint on loopback. */
function deliverTo(
  behaviour: Behaviour,
  body: string | Uint8Array = DEPOSIT,
  options: Partial<DeliverOptions> = {},
) {
  return against(behaviour, (url) => deliver(body, { url, skipWaits: true, ...options }));
}

/** Delivers to a `fetch` that gives one status after the other, the last one for good. */
function deliverAmong(statuses: readonly [number, ...number[]], options: Partial<DeliverOptions>) {
  const rest = [...statuses];
  const fetch = async () => answerOf((rest.length > 1 ? rest.shift() : rest[0]) ?? 0);
  // The @ in its path is no user name.
  const url = 'http://127.0.0.1/@merchant';
  return deliver(DEPOSIT, { url, skipWaits: true, fetch, ...options });
}

afterEach(() => void vi.useRealTimers());

const minutesOf = (attempts: readonly DeliveryAttempt[]) => attempts.map(({ at }) => +at / MINUTE);

/** Time stands still until a test advances it. */
const stopTime = () => vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] });

describe('a delivery', () => {
  test('posts the body as JSON, byte for byte, and returns what the endpoint answered', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    const { received, delivered, aborted, attempts } = await deliverTo(answers(201, 'settled'));
    expect(received).toMatchObject([
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(DEPOSIT),
      },
    ]);
    expect({ delivered, aborted }).toStrictEqual({ delivered: true, aborted: false });
    expect(attempts).toStrictEqual([
      {
        ...{ copy: 1, number: 1, at: new Date(0), durationMs: 0, success: true },
        ...{ answer: { status: 201, body: 'settled' }, error: null },
      },
    ]);
  });

  test('posts bytes as they are, also a part of a larger buffer, and no header of null', async () => {
    const body = Buffer.from([1, 2, 0xff, 0xfe, 3]).subarray(1, 4);
    expect(await deliverTo(answers(200), body)).toMatchObject({ received: [{ body }] });
    const fetch = vi.fn(async (_url: string, _request: DeliveryRequest) => answerOf(200));
    await deliver(body, { url: 'http://127.0.0.1/', fetch });
    expect(fetch.mock.calls[0]?.[1].body).toStrictEqual(new Uint8Array(body).buffer);
    await deliver(body, { url: 'http://127.0.0.1/', fetch, headers: { 'Content-Type': null } });
    expect(fetch.mock.calls[1]?.[1].headers).toStrictEqual({});
  });

  test.each([
    [{ 'Content-Type': 'text/plain' }, { 'content-type': 'text/plain' }],
    [{ authorization: undefined, 'Content-Type': undefined }, {}],
    [{ Authorization: 'secret' }, { authorization: 'secret' }],
  ])('with %j hands fetch the whole request, each header once', async (given, expected) => {
    const fetch = vi.fn(async (_url: string, request: DeliveryRequest) => {
      expect(request).toMatchObject({ signal: { aborted: false } });
      return answerOf(200);
    });
    const { delivered } = await deliverAmong([200], { headers: given, fetch });
    const headers = { 'content-type': 'application/json', ...expected };
    const request = { method: 'POST', headers, body: DEPOSIT, redirect: 'manual' };
    expect(delivered).toBe(true);
    expect(fetch.mock.calls).toStrictEqual([
      ['http://127.0.0.1/@merchant', { ...request, signal: expect.any(AbortSignal) }],
    ]);
  });

  test('aborts no attempt that has its answer', async () => {
    const fetch = vi.fn(async (_url: string, _request: DeliveryRequest) => answerOf(200));
    await deliver(DEPOSIT, { url: 'http://127.0.0.1/', fetch });
    expect(fetch.mock.calls[0]?.[1]).toMatchObject({ signal: { aborted: false } });
  });

  test('succeeds with a status from 200 to 299, or what the predicate takes for success', async () => {
    for (const status of [0, 199, 200, 299, 300, 500]) {
      const { delivered } = await deliverAmong([status], {});
      expect(delivered, `${status}`).toBe(status === 200 || status === 299);
    }
    const isSuccess: DeliverOptions['isSuccess'] = ({ status, body }) =>
      status === 500 && body === 'ok';
    for (const body of ['sorry', 'ok']) {
      const { delivered } = await deliverTo(answers(500, body), WITHDRAWAL, { isSuccess });
      expect(delivered).toBe(body === 'ok');
    }
  });

  test('does not follow a redirect, which would lose the body', async () => {
    const { attempts, received } = await deliverTo((response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    );
    expect(attempts[0]?.answer?.status).toBe(302);
    expect(received).toHaveLength(1);
  });

  test('without a policy for retries is each copy sent once, and all must succeed', async () => {
    for (const retry of [undefined, null]) {
      const { delivered, received } = await deliverTo(failsTimes(1), DEPOSIT, { retry, copies: 3 });
      expect({ delivered, sent: received.length }).toStrictEqual({ delivered: false, sent: 3 });
    }
  });
});

describe('retries', () => {
  const retry = DEPOSIT_RETRY;

  test('as the service makes them come every 2 minutes and stop on success', async () => {
    vi.useFakeTimers({ now: 1_790_000_000_000, toFake: ['Date'] });
    const onAttempt = vi.fn();
    const { delivered, attempts } = await deliverTo(failsTimes(2), DEPOSIT, { retry, onAttempt });
    expect(delivered).toBe(true);
    expect(onAttempt.mock.calls.flat()).toStrictEqual(attempts);
    expect(attempts).toMatchObject([
      { number: 1, success: false, at: new Date('2026-09-21T14:13:20.000Z') },
      { number: 2, success: false, at: new Date('2026-09-21T14:15:20.000Z') },
      { number: 3, success: true, at: new Date('2026-09-21T14:17:20.000Z') },
    ]);
  });

  test('cease after 24 hours: 721 deliveries, the last one on the 24th hour', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    const { delivered, attempts } = await deliverAmong([500], { retry });
    expect(delivered).toBe(false);
    expect(minutesOf(attempts)).toStrictEqual(Array.from({ length: 721 }, (_, index) => index * 2));
  });

  test('keep to the schedule when answers are slow', async () => {
    stopTime();
    let last = 0;
    const fetch = async () => {
      last = last === 0 ? 0.5 * MINUTE : 3 * MINUTE;
      vi.setSystemTime(Date.now() + last);
      return answerOf(500);
    };
    const shorter = { ...retry, forMs: 10 * MINUTE };
    const { attempts } = await deliverAmong([500], { fetch, retry: shorter });
    expect(minutesOf(attempts)).toStrictEqual([0, 2, 6, 10]);
    expect(attempts.map(({ durationMs }) => durationMs / MINUTE)).toStrictEqual([0.5, 3, 3, 3]);
  });

  test('come in real time unless waits are skipped, and leave nothing', async () => {
    stopTime();
    const { signal } = new AbortController();
    // No timer can wait that long.
    const timeoutMs = Number.POSITIVE_INFINITY;
    const delivery = deliverAmong([500, 500, 200], { skipWaits: false, retry, signal, timeoutMs });
    await vi.advanceTimersByTimeAsync(4 * MINUTE);
    const { delivered, attempts } = await delivery;
    expect(delivered).toBe(true);
    expect(minutesOf(attempts)).toStrictEqual([0, 2, 4]);
    expect(attempts).toMatchObject([{ error: null }, { error: null }, { error: null }]);
    expectNothingLeft(signal);
  });

  test('do not come twice when a timer fires early', async () => {
    stopTime();
    const often = { everyMs: 100, forMs: 400 };
    const delivery = deliverAmong([500], { skipWaits: undefined, retry: often });
    for (let wait = 0; wait < 4; wait += 1) {
      await vi.advanceTimersByTimeAsync(0);
      vi.setSystemTime(Date.now() - 1);
      await vi.runOnlyPendingTimersAsync();
    }
    expect((await delivery).attempts.map(({ at }) => +at)).toStrictEqual([0, 99, 199, 299, 399]);
  });
});

function expectNothingLeft(signal: AbortSignal) {
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
}

describe('copies', () => {
  test('arrive at once, each until it succeeds', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    // The first five requests are under way together, and two of them succeed.
    const open: (() => void)[] = [];
    const { delivered, attempts, received } = await deliverTo(
      (response, _request, n) => {
        if (n > 5) return void response.writeHead(200).end();
        open.push(() => response.writeHead(n > 3 ? 200 : 500).end());
        if (n === 5) for (const answer of open) answer();
      },
      DEPOSIT,
      { copies: 5, retry: DEPOSIT_RETRY },
    );
    expect(delivered).toBe(true);
    expect(received).toHaveLength(8);
    const taken = attempts.filter(({ success }) => success).map(({ copy }) => copy);
    expect(taken.sort()).toStrictEqual([1, 2, 3, 4, 5]);
    expect(attempts.filter(({ number }) => number === 2)).toHaveLength(3);
    expect(new Set(minutesOf(attempts))).toStrictEqual(new Set([0, 2]));
  });

  test('do not wait for one that hangs', async () => {
    stopTime();
    const statuses = [null, 500, 200, 200];
    const fetch = async () => {
      const status = statuses.shift();
      return status === null ? new Promise<never>(() => {}) : answerOf(status ?? 0);
    };
    const delivery = deliverAmong([200], { fetch, copies: 2, retry: DEPOSIT_RETRY });
    await vi.runAllTimersAsync();
    const { delivered, attempts } = await delivery;
    expect(delivered).toBe(true);
    expect(attempts).toMatchObject([
      { copy: 2, number: 1, error: null },
      { copy: 2, number: 2, error: null },
      { copy: 1, number: 1, error: 'no answer within 30000 ms' },
      { copy: 1, number: 2, error: null },
    ]);
    expect(minutesOf(attempts)).toStrictEqual([0, 2, 0, 2]);
  });
});

describe('an attempt without an answer', () => {
  test('in time is aborted, and says so of a body that does not end', async () => {
    stopTime();
    let signal: unknown;
    const endless: Behaviour = (response) => void response.writeHead(200).write('{');
    const { attempts } = await deliverTo(endless, DEPOSIT, {
      timeoutMs: 50,
      fetch(url, request) {
        signal = (request as RequestInit).signal;
        // Once its head has arrived, the time is over.
        return fetch(url, request).finally(() => vi.advanceTimersByTime(50));
      },
    });
    expect(attempts[0]).toMatchObject({ answer: null, error: 'no answer within 50 ms' });
    expect(signal).toMatchObject({ aborted: true });
  });

  const ownCause = new Error('its own cause');
  ownCause.cause = ownCause;

  test.each<[unknown, string]>([
    [new Error('outer', { cause: new Error('inner\n  line') }), 'inner line'],
    [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new TypeError(), 'TypeError'],
    [new Error('outer', { cause: 'text' }), 'text'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [ownCause, 'its own cause'],
  ])('because of %s gives the innermost reason in one line', async (thrown, error) => {
    const fetch = async () => {
      throw thrown;
    };
    const { attempts } = await deliverAmong([500], { fetch });
    expect(attempts[0]).toMatchObject({ answer: null, error });
  });
});

describe('a signal', () => {
  test('ends the wait for a retry, which leaves nothing', async () => {
    stopTime();
    const controller = new AbortController();
    const { delivered, aborted, attempts } = await deliverAmong([500], {
      skipWaits: false,
      signal: controller.signal,
      retry: DEPOSIT_RETRY,
      // Once what this is called by has come to its wait.
      onAttempt: () => setImmediate(() => controller.abort()),
    });
    expect({ delivered, aborted }).toStrictEqual({ delivered: false, aborted: true });
    expect(attempts).toHaveLength(1);
    expectNothingLeft(controller.signal);
  });

  test('ends a fetch that ignores it, which leaves nothing', async () => {
    const controller = new AbortController();
    const fetch = () => new Promise<never>(() => controller.abort());
    stopTime();
    const { attempts } = await deliverAmong([200], { fetch, signal: controller.signal });
    expect(attempts).toMatchObject([{ error: 'stopped' }]);
    expectNothingLeft(controller.signal);
  });

  test('ends a request that is under way, and closes its connection', async () => {
    const controller = new AbortController();
    let closed: Promise<void> | undefined;
    const { aborted, attempts } = await deliverTo(
      (response) => {
        closed = new Promise((resolve) => response.once('close', resolve));
        controller.abort();
      },
      DEPOSIT,
      { signal: controller.signal },
    );
    await closed;
    expect(aborted).toBe(true);
    expect(attempts).toMatchObject([{ success: false, answer: null, error: 'stopped' }]);
  });

  test('that is aborted already lets nothing be sent', async () => {
    const { received, ...delivery } = await deliverTo(answers(200), DEPOSIT, {
      signal: AbortSignal.abort(),
    });
    expect(received).toHaveLength(0);
    expect(delivery).toMatchObject({ delivered: false, aborted: true, attempts: [] });
  });

  test('may be one for many copies', async () => {
    const warnings: unknown[] = [];
    const warn = (warning: unknown) => warnings.push(warning);
    process.on('warning', warn);
    const options = { signal: new AbortController().signal, copies: 20, retry: DEPOSIT_RETRY };
    expect((await deliverAmong([500, 200], options)).attempts).toHaveLength(21);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warnings).toStrictEqual([]);
  });
});

/** The error with which a delivery is refused before anything is sent. */
async function refusalOf(body: unknown, options: Partial<DeliverOptions> = {}): Promise<unknown> {
  const fetch = vi.fn(async () => answerOf(200));
  const given = { url: 'http://127.0.0.1/', fetch, ...options };
  const error = await deliver(body as string, given).catch((reason: unknown) => reason);
  expect(fetch).not.toHaveBeenCalled();
  return error;
}

// To the letter: no more than that is told of an address.
test.each<[string, Partial<DeliverOptions>]>([
  ['url: expected an http or https URL, received "localhost"', { url: 'localhost' }],
  [
    'url: expected an http or https URL, received "localhost:3000/callbacks/…"',
    { url: 'localhost:3000/callbacks/a-secret-of-the-test' },
  ],
  ['url: expected an http or https URL, received "httpsx://x"', { url: 'httpsx://x' }],
  ['url: expected an http or https URL, received "xhttp://x"', { url: 'xhttp://x' }],
  ['url: expected a URL without user name and password', { url: 'ftp://:secret@x/' }],
  ['url: expected a URL without user name and password', { url: 'http://u@x/' }],
  [
    'url: expected an http or https URL, received a hidden value that may contain a password',
    { url: 'http://u:secret@x:99999/' },
  ],
  ['copies: expected a whole number of at least 1, received 0', { copies: 0 }],
  ['copies: expected a whole number of at least 1, received 1.5', { copies: 1.5 }],
  ['timeoutMs: expected more than 0, received NaN', { timeoutMs: Number.NaN }],
  ['everyMs: expected more than 0, received 0', { retry: { everyMs: 0, forMs: 1 } }],
  ['forMs: expected more than 0, received -1', { retry: { everyMs: 1, forMs: -1 } }],
])('before anything is sent, %s', async (message, options) => {
  expect(await refusalOf(DEPOSIT, options)).toMatchObject({ message });
});

test.each<[unknown, string]>([
  [undefined, 'nothing'],
  [new DataView(new ArrayBuffer(1)), 'an object'],
])('a body %j is refused before anything is sent', async (body, received) => {
  expect(await refusalOf(body)).toStrictEqual(
    new TypeError(`body: expected text or bytes, received ${received}`),
  );
});

test('a function of the caller that throws stops all copies', async () => {
  let requests = 0;
  const delivery = deliverAmong([500], {
    copies: 2,
    retry: DEPOSIT_RETRY,
    fetch: async () => {
      requests += 1;
      return answerOf(500);
    },
    onAttempt: ({ copy, number }) => {
      if (copy === 1 && number === 3) throw new Error("the caller's");
    },
  });
  await expect(delivery).rejects.toThrow("the caller's");
  const before = requests;
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  // The other copy may have begun its attempt of the same round.
  expect(requests - before).toBeLessThanOrEqual(1);
});

function answerOf(status: number) {
  return { status, text: async () => '' };
}
