import { parseNotification } from 'payment-notifications';
import {
  bodyVariants,
  type Clock,
  depositReceivedBody,
  virtualClock,
} from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import {
  against,
  answers,
  type Behaviour,
  failsTimes,
  hangs,
  refusingEndpoint,
} from '../endpoint.js';
import { withoutColours } from '../process/command.js';
import { command, linesOf, ticking } from './terminal.js';

type Given = Parameters<typeof command>[1];

/** Runs `send` against an endpoint on loopback. */
async function sendTo(behaviour: Behaviour, args: readonly string[], given: Given = {}) {
  const { url, received, ...ran } = await against(behaviour, (to) =>
    command(['send', ...args, '--to', to], given),
  );
  const told = linesOf(ran.out.replaceAll(url, 'URL'));
  return { ...ran, told, bodies: received.map(({ body }) => `${body}`) };
}

const parsed = (body = '') => JSON.parse(JSON.stringify(parseNotification(body)));

describe('sending', () => {
  test('posts a deposit and shows the answer', async () => {
    const { exit, told, bodies } = await sendTo(answers(200, 'ok'), ['deposit']);
    expect(exit).toBe(0);
    expect(bodies).toStrictEqual([depositReceivedBody()]);
    expect(told).toStrictEqual(['POST URL', '  ✓ 200 in 0 ms  ok', '1 of 1 delivered in 0 ms']);
  });

  test.each([
    [['withdrawal'], { type: 'withdrawal.broadcast', status: 'COMPLETED' }],
    [['withdrawal', '--status', 'BLOCKED'], { status: 'BLOCKED', withdrawFee: null }],
    [['withdrawal', '--set', 'status=FAILED'], { status: 'FAILED', transactionId: null }],
    [['withdrawal', '--seed', '7'], { clientWithdrawalId: 'payout-7' }],
    [
      ['deposit', '--set', 'actualDepositAmount=0.10000000000000000001', '--set', 'network=A=B'],
      { actualDepositAmount: '0.10000000000000000001', network: 'A=B' },
    ],
    [
      ['deposit', '--set', 'paymentReceivedAt=0'],
      { paymentReceivedAt: '1970-01-01T00:00:00.000Z' },
    ],
    [['deposit', '--set', 'onChainFee=null'], { onChainFee: null }],
    [
      ['withdrawal', '--set', 'txAddressOwner.name=Me', '--set', 'txAddressOwner.category='],
      { txAddressOwner: { name: 'Me', category: '', additionalFields: {} } },
    ],
  ])('%j posts what was asked for', async (args, expected) => {
    const { exit, bodies } = await sendTo(answers(200), args);
    expect(exit).toBe(0);
    expect(parsed(bodies[0])).toMatchObject(expected);
  });

  test('says when a body is one that a handler should refuse', async () => {
    const one = await sendTo(answers(400, '["missing_field"]'), [
      'deposit',
      '--omit',
      'depositId',
      '--set',
      'paymentId=x',
    ]);
    expect(one.exit).toBe(1);
    expect(JSON.parse(one.bodies[0] ?? '')).not.toHaveProperty('depositId');
    expect(one.told).toStrictEqual([
      'POST URL',
      'This body is invalid, a handler should refuse it: body: expected either a depositId or a withdrawalId, received neither',
      '  ✗ 400 in 0 ms  ["missing_field"]',
      '0 of 1 delivered in 0 ms',
    ]);
    const two = await sendTo(answers(400), [
      'deposit',
      '--set',
      'paymentId=x',
      '--omit',
      'settlementAmount',
      '--copies',
      '2',
    ]);
    expect(two.told).toContain(
      'This body is invalid, a handler should refuse it: paymentId: expected a UUID, received a string of length 1 (and 1 more)',
    );
    expect(two.told.join()).not.toContain('one event');
  });

  test('with --variants posts every variant and names it', async () => {
    const { exit, told, bodies } = await sendTo(answers(200), ['withdrawal', '--variants'], {
      columns: 200,
    });
    const variants = bodyVariants(bodies[0] ?? '');
    expect(exit).toBe(0);
    expect(bodies).toStrictEqual(variants.map(({ body }) => body));
    expect(told.slice(1, -2)).toStrictEqual(
      variants.map(({ label }) => `  ✓ 200 in 0 ms  ${label}`),
    );
    expect(told.at(-2)).toMatch(new RegExp(`^${variants.length} of ${variants.length} delivered`));
    expect(told.at(-1)).toBe(
      'These are all one event: credit or debit it once, as withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44:COMPLETED.',
    );
  });

  test('with --copies posts them at once and counts them', async () => {
    // Answers none until all three are there: one after the other, they would wait for ever.
    const open: (() => void)[] = [];
    const behaviour: Behaviour = (response, request, n) => {
      open.push(() => failsTimes(1)(response, request, n));
      if (n === 3) for (const answer of open) answer();
    };
    const { exit, told, bodies } = await sendTo(behaviour, ['deposit', '--copies', '3']);
    expect(exit).toBe(1);
    expect(bodies).toStrictEqual([1, 2, 3].map(() => depositReceivedBody()));
    expect(told.filter((line) => line.startsWith('  ✓'))).toHaveLength(2);
    expect(told.filter((line) => / {2}copy [23]( |$)/.test(line))).toHaveLength(2);
    expect(told).toContain('2 of 3 delivered in 0 ms');
  });

  test('with --retry tries again until it is delivered, and says when', async () => {
    const { exit, told } = await sendTo(failsTimes(2), ['deposit', '--retry']);
    expect(exit).toBe(0);
    expect(told).toStrictEqual([
      'POST URL',
      '  ✗ 500 in 0 ms  database is down',
      '  trying again in 2:00 min',
      '  ✗ 500 in 0 ms  attempt 2  database is down',
      '  trying again in 2:00 min',
      '  ✓ 200 in 0 ms  attempt 3  ok',
      '1 of 1 delivered in 4:00 min, 3 attempts',
    ]);
  });

  test('with --retry gives up in the end', async () => {
    const args = ['withdrawal', '--retry', '--every=40ms', '--for=100ms'];
    const { exit, told } = await sendTo(answers(500), args);
    expect(exit).toBe(1);
    expect(told.at(-1)).toBe('0 of 1 delivered in 80 ms, 3 attempts');
  });

  test('tells how long an answer took', async () => {
    const { told } = await sendTo(answers(200), ['deposit'], { clock: ticking(340) });
    expect(told[1]).toBe('  ✓ 200 in 340 ms');
  });

  test('with --json gives a line for each answer and one for the outcome', async () => {
    const args = ['deposit', '--json', '--retry', '--every=20ms', '--for=1s'];
    const { exit, told } = await sendTo(failsTimes(1), args);
    expect(exit).toBe(0);
    expect(told.map((line) => JSON.parse(line))).toMatchObject([
      { copy: 1, number: 1, success: false, answer: { status: 500, body: 'database is down' } },
      { copy: 1, number: 2, success: true, answer: { status: 200, body: 'ok' }, error: null },
      {
        delivered: 1,
        of: 1,
        attempts: 2,
        interrupted: false,
        idempotencyKey: 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11',
      },
    ]);
    const variants = await sendTo(answers(200), ['deposit', '--json', '--variants']);
    expect(JSON.parse(variants.told[0] ?? '')).toMatchObject({ variant: 'as given' });
    const invalid = await sendTo(answers(200), ['deposit', '--json', '--omit', 'status']);
    expect(JSON.parse(invalid.told[1] ?? '')).toMatchObject({ idempotencyKey: null });
  });
});

describe('no answer', () => {
  test('from a server that is not there', async () => {
    await using nobody = await refusingEndpoint();
    const { exit, out, err } = await command(['send', 'deposit', '--to', nobody.url]);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(linesOf(out)[1]).toMatch(
      /^ {2}✗ no answer: .*ECONNREFUSED.* \(is the server running\?\)$/,
    );
  });

  test('from one that hangs, after --timeout', async () => {
    const { exit, told } = await sendTo(hangs, ['deposit', '--timeout', '50ms']);
    expect(exit).toBe(1);
    expect(told[1]).toBe('  ✗ no answer: no answer within 50 ms');
  });
});

describe('on a terminal', () => {
  /** Wakes a moment early each time, as timers of Node.js may. */
  function hastyClock(): Clock {
    const { now, sleep } = virtualClock();
    return { now, sleep: (milliseconds) => sleep(Math.max(1, milliseconds - 1)) };
  }

  test.each([
    ['is on time', virtualClock],
    ['is early', hastyClock],
  ])('the wait counts down in one line that is removed, if a timer %s', async (_, clock) => {
    const { out } = await sendTo(failsTimes(1), ['deposit', '--retry', '--every=3200ms'], {
      interactive: true,
      colours: true,
      columns: 60,
      clock: clock(),
    });
    const lines = withoutColours(out).split('\r\u001b[K');
    expect(lines.slice(1, -1)).toStrictEqual([
      '  trying again in 4 s, Ctrl-C stops',
      '  trying again in 3 s, Ctrl-C stops',
      '  trying again in 2 s, Ctrl-C stops',
      '  trying again in 1 s, Ctrl-C stops',
    ]);
    expect(lines.at(-1)).toContain('✓ 200');
  });

  test('the countdown is cut to the width, whose last column stays free', async () => {
    const given = { interactive: true, columns: 20 };
    const { out } = await sendTo(failsTimes(1), ['deposit', '--retry', '--every=1s'], given);
    expect(out.split('\r\u001b[K')[1]).toBe('  trying again in …');
  });

  test('the seconds of the countdown are those of the clock', async () => {
    const { now, sleep } = virtualClock();
    const slept: number[] = [];
    const clock: Clock = {
      now,
      sleep: (milliseconds) => {
        slept.push(milliseconds);
        return sleep(milliseconds);
      },
    };
    const args = ['deposit', '--retry', '--every=3200ms'];
    await sendTo(failsTimes(1), args, { interactive: true, clock });
    expect(slept).toStrictEqual([200, 1000, 1000, 1000]);
  });

  test('an answer is cut to the width and can not write elsewhere', async () => {
    const page = `<html>\n\u001b[2J${'x'.repeat(500)}`;
    const { told } = await sendTo(answers(500, page), ['deposit'], { columns: 60 });
    expect(told[1]).toMatch(/^ {2}✗ 500 in 0 ms {2}<html>\\u000a\\u001b\[2Jx+…$/);
    expect(told[1]).toHaveLength(60);
    const free = await sendTo(answers(500, page), ['deposit']);
    expect(free.told[1]).toHaveLength(204);
  });

  test.each<[string, string[], (interrupt: () => void) => Behaviour]>([
    ['while it waits for an answer', [], (interrupt) => () => interrupt()],
    [
      'in between the variants',
      ['--variants'],
      (interrupt) => (response, _request, n) => {
        if (n === 2) interrupt();
        else response.writeHead(200).end();
      },
    ],
    [
      'before the second variant',
      ['--variants'],
      (interrupt) => (response) => {
        interrupt();
        response.writeHead(200).end();
      },
    ],
  ])('Ctrl-C %s stops it with a summary', async (_, args, behave) => {
    for (const interactive of [false, true]) {
      const controller = new AbortController();
      const { exit, out, bodies } = await sendTo(
        behave(() => controller.abort()),
        ['deposit', ...args],
        { interrupt: controller.signal, interactive },
      );
      expect(exit).toBe(130);
      expect(out).toMatch(/Interrupted: [01] of \d+ delivered in 0 ms/);
      expect(bodies).toHaveLength(/, 2 attempts$/m.test(out) ? 2 : 1);
    }
  });

  test('Ctrl-C while it waits for a retry stops it with a summary', async () => {
    for (const interactive of [false, true]) {
      const controller = new AbortController();
      const clock: Clock = { now: () => 0, sleep: async () => controller.abort() };
      const { exit, told, bodies } = await sendTo(answers(500), ['deposit', '--retry'], {
        interrupt: controller.signal,
        interactive,
        clock,
      });
      expect(exit).toBe(130);
      expect(told.at(-1)).toMatch(/Interrupted: 0 of 1 delivered in 0 ms$/);
      expect(told.join().match(/trying again/g)).toHaveLength(1);
      expect(bodies).toHaveLength(1);
    }
  });
});
