import {
  type Attempt,
  bodyVariants,
  type Clock,
  DEPOSIT_RETRY,
  type DeliverOptions,
  type DeliveryRequest,
  deliver,
  depositReceivedBody,
  virtualClock,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { answers, type Behaviour, endpoint, failsTimes, hangs, hangsUp } from '../endpoint.js';

const DEPOSIT = depositReceivedBody();
const WITHDRAWAL = withdrawalBroadcastBody();
const MINUTE = 60_000;

/** Delivers to an endpoint on loopback, in no time. */
async function deliverTo(
  behaviour: Behaviour,
  body: string | Uint8Array = DEPOSIT,
  options: Partial<DeliverOptions> = {},
) {
  await using merchant = await endpoint(behaviour);
  const url = merchant.url;
  const delivery = await deliver(body, { url, clock: virtualClock(), ...options });
  return { ...delivery, received: merchant.received, url };
}

const minutesOf = (attempts: readonly Attempt[]) => attempts.map(({ at }) => +at / MINUTE);

describe('a delivery', () => {
  test('posts the body as JSON, byte for byte', async () => {
    const { received } = await deliverTo(answers(200));
    expect(received).toHaveLength(1);
    expect(received[0]?.method).toBe('POST');
    expect(received[0]?.headers['content-type']).toBe('application/json');
    expect(received[0]?.body.toString()).toBe(DEPOSIT);
  });

  test('posts bytes as they are, also a part of a larger buffer', async () => {
    const bytes = Buffer.from([1, 2, 0xff, 0xfe, 3]).subarray(1, 4);
    const { received } = await deliverTo(answers(200), bytes);
    expect([...(received[0]?.body ?? [])]).toStrictEqual([2, 0xff, 0xfe]);
  });

  test('returns what the endpoint answered', async () => {
    const { delivered, aborted, attempts } = await deliverTo(answers(201, 'settled'));
    expect({ delivered, aborted }).toStrictEqual({ delivered: true, aborted: false });
    expect(attempts).toStrictEqual([
      {
        copy: 1,
        number: 1,
        at: new Date(0),
        durationMs: 0,
        success: true,
        answer: { status: 201, body: 'settled' },
        error: null,
      },
    ]);
  });

  test('takes headers, a secret one say', async () => {
    const { received } = await deliverTo(answers(200), DEPOSIT, {
      headers: { authorization: 'secret', 'content-type': 'text/plain' },
    });
    expect(received[0]?.headers).toMatchObject({
      authorization: 'secret',
      'content-type': 'text/plain',
    });
  });

  test.each([200, 204, 299])('succeeds with status %i', async (status) => {
    const options = { retry: null, fetch: async () => answerOf(status) };
    expect((await deliverTo(hangs, DEPOSIT, options)).delivered).toBe(true);
  });

  test.each([199, 300, 400, 500, 0])('does not succeed with status %i', async (status) => {
    const options = { retry: null, fetch: async () => answerOf(status) };
    expect((await deliverTo(hangs, DEPOSIT, options)).delivered).toBe(false);
  });

  test('does not follow a redirect, which would lose the body', async () => {
    const { attempts, received } = await deliverTo(
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      DEPOSIT,
      { retry: null },
    );
    expect(attempts[0]?.answer?.status).toBe(302);
    expect(received).toHaveLength(1);
  });

  test('succeeds with what the predicate takes for success', async () => {
    const isSuccess: DeliverOptions['isSuccess'] = ({ status, body }) =>
      status === 200 && body === 'ok';
    const polite = await deliverTo(answers(200, 'sorry'), WITHDRAWAL, { isSuccess });
    expect(polite.delivered).toBe(false);
    const taken = await deliverTo(answers(200, 'ok'), WITHDRAWAL, { isSuccess });
    expect(taken.delivered).toBe(true);
  });
});

describe('the retries of a deposit', () => {
  test('come every 2 minutes and stop on success', async () => {
    const { delivered, attempts, received } = await deliverTo(failsTimes(2));
    expect(delivered).toBe(true);
    expect(received).toHaveLength(3);
    expect(attempts.map(({ success }) => success)).toStrictEqual([false, false, true]);
    expect(attempts.map(({ number }) => number)).toStrictEqual([1, 2, 3]);
    expect(minutesOf(attempts)).toStrictEqual([0, 2, 4]);
  });

  test('cease after 24 hours: 721 deliveries, the last one on the 24th hour', async () => {
    const { delivered, attempts } = await deliverTo(answers(500));
    expect(delivered).toBe(false);
    expect(attempts).toHaveLength(721);
    expect(minutesOf(attempts)).toStrictEqual(Array.from({ length: 721 }, (_, index) => index * 2));
    expect(minutesOf(attempts).at(-1)).toBe(24 * 60);
  });

  test('are the documented ones', () => {
    expect(DEPOSIT_RETRY).toStrictEqual({ intervalMs: 120_000, durationMs: 86_400_000 });
  });

  test.each([
    ['bytes', Buffer.from(DEPOSIT), 2],
    ['text with a byte-order mark', `\uFEFF${DEPOSIT}`, 2],
    ['a withdrawal', WITHDRAWAL, 1],
    ['a withdrawal with a depositId of null', `{"depositId":null,${WITHDRAWAL.slice(1)}`, 1],
    ['no JSON', 'status=CONFIRMED', 1],
  ])('are made for what is a deposit: %s', async (_, body, requests) => {
    expect((await deliverTo(failsTimes(1), body)).received).toHaveLength(requests);
  });

  test('are made for a withdrawal, if asked for', async () => {
    const { attempts } = await deliverTo(failsTimes(2), WITHDRAWAL, { retry: DEPOSIT_RETRY });
    expect(minutesOf(attempts)).toStrictEqual([0, 2, 4]);
  });

  test('can have another schedule, or none', async () => {
    const retry = { intervalMs: MINUTE, durationMs: 3.5 * MINUTE };
    expect(minutesOf((await deliverTo(answers(500), DEPOSIT, { retry })).attempts)).toStrictEqual([
      0, 1, 2, 3,
    ]);
    const once = await deliverTo(answers(500), DEPOSIT, { retry: null });
    expect(once.attempts).toHaveLength(1);
  });

  test('keep to the schedule when answers are slow', async () => {
    let now = 0;
    const clock: Clock = {
      now: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds;
      },
    };
    const fetch = async () => {
      now += now === 0 ? 0.5 * MINUTE : 3 * MINUTE;
      return answerOf(500);
    };
    const retry = { intervalMs: 2 * MINUTE, durationMs: 10 * MINUTE };
    const { attempts } = await deliverTo(hangs, DEPOSIT, { clock, fetch, retry });
    expect(minutesOf(attempts)).toStrictEqual([0, 2, 6, 10]);
    expect(attempts.map(({ durationMs }) => durationMs / MINUTE)).toStrictEqual([0.5, 3, 3, 3]);
  });

  test('do not come twice when a timer fires early', async () => {
    let now = 0;
    const clock: Clock = {
      now: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds - 1;
      },
    };
    const retry = { intervalMs: 100, durationMs: 400 };
    const { attempts } = await deliverTo(answers(500), DEPOSIT, { clock, retry });
    expect(attempts.map(({ at }) => +at)).toStrictEqual([0, 99, 199, 299, 399]);
  });

  test('pass in real time without a clock', async () => {
    const retry = { intervalMs: 60, durationMs: 200 };
    const start = performance.now();
    const { delivered, attempts } = await deliverTo(failsTimes(2), DEPOSIT, {
      retry,
      clock: undefined,
    });
    expect(delivered).toBe(true);
    expect(performance.now() - start).toBeGreaterThan(110);
    const [first, , third] = attempts;
    expect(Number(third?.at) - Number(first?.at)).toBeGreaterThan(110);
  });
});

describe('copies', () => {
  test('arrive at once, each until it succeeds', async () => {
    // Of the first five requests, which are under way together, two succeed.
    const open: (() => void)[] = [];
    const { delivered, attempts, received } = await deliverTo(
      (response, _request, n) => {
        if (n > 5) return void response.writeHead(200).end();
        open.push(() => response.writeHead(n > 3 ? 200 : 500).end());
        if (n === 5) for (const answer of open) answer();
      },
      DEPOSIT,
      { copies: 5 },
    );
    expect(delivered).toBe(true);
    expect(received).toHaveLength(8);
    expect(
      attempts
        .filter(({ success }) => success)
        .map(({ copy }) => copy)
        .sort(),
    ).toStrictEqual([1, 2, 3, 4, 5]);
    expect(attempts.filter(({ number }) => number === 2)).toHaveLength(3);
    expect(new Set(minutesOf(attempts))).toStrictEqual(new Set([0, 2]));
  });

  test('are all to be delivered', async () => {
    const { delivered } = await deliverTo(failsTimes(1), DEPOSIT, { copies: 3, retry: null });
    expect(delivered).toBe(false);
  });
});

describe('an attempt without an answer', () => {
  test('by a refused connection says so, and is tried again', async () => {
    const { url } = await deliverTo(answers(200));
    const attempts: Attempt[] = [];
    const retry = { intervalMs: MINUTE, durationMs: MINUTE };
    const { delivered } = await deliver(DEPOSIT, {
      url,
      clock: virtualClock(),
      retry,
      onAttempt: (attempt) => attempts.push(attempt),
    });
    expect(delivered).toBe(false);
    expect(attempts.map(({ answer, error }) => ({ answer, error }))).toStrictEqual(
      [1, 2].map(() => ({
        answer: null,
        error: `connect ECONNREFUSED ${new URL(url).host}`,
      })),
    );
  });

  test('by a closed connection says so', async () => {
    const { attempts } = await deliverTo(hangsUp, DEPOSIT, { retry: null });
    expect(attempts[0]).toMatchObject({ success: false, answer: null, error: 'other side closed' });
  });

  test('in time says so', async () => {
    const { attempts } = await deliverTo(hangs, DEPOSIT, { retry: null, timeoutMs: 50 });
    expect(attempts[0]).toMatchObject({ success: false, error: 'no answer within 50 ms' });
  });

  test('in time says so of a body that does not end', async () => {
    const { attempts } = await deliverTo(
      (response) => void response.writeHead(200).write('{'),
      DEPOSIT,
      { retry: null, timeoutMs: 50 },
    );
    expect(attempts[0]).toMatchObject({ answer: null, error: 'no answer within 50 ms' });
  });

  test.each<[unknown, string]>([
    [new Error('outer', { cause: new Error('inner\n  line') }), 'inner line'],
    [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new TypeError(), 'TypeError'],
    ['text', 'text'],
  ])('because of %s gives the innermost reason in one line', async (thrown, error) => {
    const fetch = async () => {
      throw thrown;
    };
    const { attempts } = await deliverTo(hangs, DEPOSIT, { retry: null, fetch });
    expect(attempts[0]).toMatchObject({ answer: null, error });
  });
});

describe('a signal', () => {
  test('ends a wait, and what was sent is returned', async () => {
    const controller = new AbortController();
    const { delivered, aborted, attempts } = await deliverTo(answers(500), DEPOSIT, {
      clock: undefined,
      signal: controller.signal,
      onAttempt: () => setTimeout(() => controller.abort(), 20),
    });
    expect({ delivered, aborted }).toStrictEqual({ delivered: false, aborted: true });
    expect(attempts).toHaveLength(1);
  });

  test('ends a wait of a clock that does not heed it', async () => {
    const controller = new AbortController();
    const clock: Clock = { now: () => 0, sleep: () => new Promise(() => {}) };
    const { aborted } = await deliverTo(answers(500), DEPOSIT, {
      clock,
      signal: controller.signal,
      onAttempt: () => setTimeout(() => controller.abort(), 20),
    });
    expect(aborted).toBe(true);
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

  test('ends a fetch that does not heed it', async () => {
    const controller = new AbortController();
    const fetch = () => new Promise<never>(() => controller.abort());
    const { attempts } = await deliverTo(hangs, DEPOSIT, { signal: controller.signal, fetch });
    expect(attempts).toMatchObject([{ error: 'stopped' }]);
  });

  test('that is aborted already lets nothing be sent', async () => {
    const { received, ...delivery } = await deliverTo(answers(200), DEPOSIT, {
      signal: AbortSignal.abort(),
    });
    expect(received).toHaveLength(0);
    expect(delivery).toMatchObject({ delivered: false, aborted: true, attempts: [] });
  });

  test('may be one for many copies and many deliveries', async () => {
    const warnings: unknown[] = [];
    const warn = (warning: unknown) => warnings.push(warning);
    process.on('warning', warn);
    const { signal } = new AbortController();
    for (let n = 0; n < 20; n += 1) {
      await deliverTo(failsTimes(20), DEPOSIT, { signal, copies: 20 });
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warnings).toStrictEqual([]);
  });

  test('that is not aborted changes nothing', async () => {
    const { signal } = new AbortController();
    const { delivered, aborted, attempts } = await deliverTo(failsTimes(1), DEPOSIT, { signal });
    expect({ delivered, aborted }).toStrictEqual({ delivered: true, aborted: false });
    expect(minutesOf(attempts)).toStrictEqual([0, 2]);
  });
});

test.each<[string, Partial<DeliverOptions>, string]>([
  [
    'no address',
    { url: 'localhost' },
    'url: expected an http or https address, received "localhost"',
  ],
  [
    'another protocol',
    { url: 'ftp://x' },
    'url: expected an http or https address, received "ftp://x"',
  ],
  ['no copies', { copies: 0 }, 'copies: expected a whole number from 1, received 0'],
  ['half a copy', { copies: 1.5 }, 'copies: expected a whole number from 1, received 1.5'],
  ['no time', { timeoutMs: 0 }, 'timeoutMs: expected more than 0, received 0'],
  [
    'no interval',
    { retry: { intervalMs: 0, durationMs: 1 } },
    'intervalMs: expected more than 0, received 0',
  ],
  [
    'no duration',
    { retry: { intervalMs: 1, durationMs: Number.NaN } },
    'durationMs: expected more than 0, received NaN',
  ],
])('%s is refused before anything is sent', async (_, options, message) => {
  const fetch = async () => Promise.reject(new Error('sent'));
  await expect(deliver(DEPOSIT, { url: 'http://127.0.0.1/', fetch, ...options })).rejects.toThrow(
    message,
  );
});

test('a virtual clock can start at any time', async () => {
  const clock = virtualClock(1_790_000_000_000);
  const { attempts } = await deliverTo(failsTimes(1), DEPOSIT, { clock });
  expect(attempts.map(({ at }) => at.toISOString())).toStrictEqual([
    '2026-09-21T14:13:20.000Z',
    '2026-09-21T14:15:20.000Z',
  ]);
});

test('every variant of a deposit reaches a handler', async () => {
  const labels: string[] = [];
  await using merchant = await endpoint(answers(200));
  for (const { label, body } of bodyVariants(DEPOSIT)) {
    const { delivered } = await deliver(body, { url: merchant.url });
    if (delivered) labels.push(label);
  }
  expect(labels).toHaveLength(bodyVariants(DEPOSIT).length);
  expect(merchant.received).toHaveLength(labels.length);
});

test('a fetch of the caller gets the whole request', async () => {
  const requests: [string, DeliveryRequest][] = [];
  const { url } = await deliverTo(hangs, DEPOSIT, {
    fetch: async (address, request) => {
      requests.push([address, request]);
      return answerOf(200);
    },
  });
  expect(requests).toMatchObject([
    [url, { method: 'POST', body: DEPOSIT, redirect: 'manual', signal: { aborted: false } }],
  ]);
});

function answerOf(status: number) {
  return { status, text: async () => '' };
}
