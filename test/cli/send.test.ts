import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { safeParseNotification } from 'payment-notifications';
import {
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  against,
  answers,
  type Behaviour,
  endpoint,
  failsTimes,
  hangs,
  refusingEndpoint,
} from '../endpoint.js';
import { command, type Given, linesOf, temporaryFolder } from './terminal.js';

beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** How an endpoint's URL is printed. */
const shownAs = (url: string) => url.replace('/callbacks', '/call…');

/** Runs `send` against an endpoint on loopback. */
async function sendTo(behaviour: Behaviour, line: string | string[], given: Given = {}) {
  const args = typeof line === 'string' ? line.split(' ') : line;
  const { url, received, ...ran } = await against(behaviour, (to) =>
    command(['send', ...args, '--to', to], given),
  );
  const told = linesOf(ran.out.replaceAll(shownAs(url), 'URL'));
  return { ...ran, told, received, bodies: received.map(({ body }) => `${body}`) };
}

/**
 * Answers with success what the parser reads, or what it reads after something else has read it.
 */
const parses =
  (read: (body: Buffer) => string | Buffer = (body) => body): Behaviour =>
  (response, { body }) => {
    let status = 400;
    try {
      if (safeParseNotification(read(body)).success) status = 200;
    } catch {}
    response.writeHead(status).end();
  };

describe('sending', () => {
  test('posts a deposit and shows the answer, and how long it took', async () => {
    const slow: Behaviour = (response) => {
      vi.setSystemTime(340);
      response.end('ok');
    };
    const { exit, told, bodies } = await sendTo(slow, 'deposit');
    expect(exit).toBe(0);
    expect(bodies).toStrictEqual([depositReceivedBody()]);
    expect(told).toStrictEqual(['POST URL', '  ✓ 200 in 340ms  ok', '1 of 1 delivered in 340ms']);
  });

  test('posts what `sample` prints', async () => {
    const line = 'withdrawal --status BLOCKED --seed 7 --add fee=0.10';
    const { exit, bodies } = await sendTo(answers(200), line);
    const { out } = await command(['sample', ...line.split(' ')]);
    expect({ exit, out }).toStrictEqual({ exit: 0, out: `${bodies[0]}\n` });
  });

  const fault = 'settlementAmount: expected a decimal number, received nothing';
  test.each<[status: number, exit: number, shown: unknown]>([
    [400, 0, '  ✓ 400 in 0ms  refused, as it should be'],
    [200, 1, `  ✗ 200 in 0ms  accepted, but it should be refused: ${fault}`],
    // These say nothing about the body.
    ...[302, 401, 403, 404, 405, 407, 429, 500].map((status): [number, number, unknown] => {
      // fetch rejects a 407.
      return [status, 1, expect.stringMatching(/^ {2}✗ (\d{3} in 0ms|failed: )/)];
    }),
  ])('sends a faulty body once, and %i ends with %i', async (status, code, shown) => {
    const line = 'deposit --omit settlementAmount --copies 2 --retry';
    const { exit, told, bodies } = await sendTo(answers(status), line);
    expect({ exit, sent: bodies.length }).toStrictEqual({ exit: code, sent: 1 });
    expect(told).toStrictEqual([
      ...['POST URL, again every 2m for up to 24h', shown],
      `${1 - code} of 1 refused, as it should be, in 0ms`,
    ]);
  });

  test('with --copies posts them and counts them', async () => {
    const { exit, told, bodies } = await sendTo(failsTimes(1), 'deposit --copies 3');
    expect(exit).toBe(1);
    expect(bodies).toStrictEqual([1, 2, 3].map(() => depositReceivedBody()));
    expect(told.filter((line) => / {2}copy [23]( |$)/.test(line))).toHaveLength(2);
    expect(told).toContain('2 of 3 delivered in 0ms');
  });

  test('with --retry tries again every two minutes until it is delivered', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const told: string[] = [];
    const print = (text: string) => {
      told.push(...linesOf(text.replace(/http\S*\/call…/, 'URL')));
      // Once the attempt has ended, the pause begins.
      if (text.includes('✗')) setImmediate(() => vi.advanceTimersByTime(120_000));
    };
    const { exit } = await sendTo(failsTimes(2), 'deposit --retry', { print });
    expect(exit).toBe(0);
    expect(told).toStrictEqual([
      'POST URL, again every 2m for up to 24h',
      '  ✗ 500 in 0ms  database is down',
      '  ✗ 500 in 0ms  attempt 2  database is down',
      '  ✓ 200 in 0ms  attempt 3  ok',
      '1 of 1 delivered in 4m, 3 attempts',
    ]);
  });

  test('with --concurrency posts so many bodies at a time, and one without it', async () => {
    for (const [options, most] of [
      ['', 1],
      ['--concurrency 3', 3],
      ['--concurrency 9', 5],
    ] as const) {
      let [open, highest] = [0, 0];
      const waiting: (() => void)[] = [];
      const slow: Behaviour = (response) => {
        open += 1;
        highest = Math.max(highest, open);
        waiting.push(() => {
          open -= 1;
          response.end();
        });
        // Answers once as many wait as may.
        if (open === most) for (const answer of waiting.splice(0)) answer();
        else setImmediate(() => waiting.length > 0 && highest === most && waiting.shift()?.());
      };
      const stdin = [1, 2, 3, 4, 5].map((seed) => depositReceivedBody({}, { seed })).join('\n');
      const { exit, told, bodies } = await sendTo(slow, `- ${options}`.trim(), { stdin });
      expect({ exit, highest, count: new Set(bodies).size }).toStrictEqual({
        ...{ exit: 0, highest: most, count: 5 },
      });
      expect(told).toStrictEqual(['POST URL', '5 of 5 delivered in 0ms']);
    }
  }, 20_000);
});

describe('no answer', () => {
  test('from a server that is not there is told once, not once for each body and copy', async () => {
    await using nobody = await refusingEndpoint();
    const send = (line: string) => command(['send', ...line.split(' '), '--to', nobody.url]);
    const { exit, out, err } = await send('deposit --faulty --copies 3');
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(linesOf(out).slice(1)).toStrictEqual([
      '  ✗ failed: connection refused (is the server running?)',
      expect.stringMatching(/^0 of 3 delivered, 0 of \d\d refused, as they should be, in 0ms$/),
      expect.stringMatching(/^These are all one event/),
    ]);
  });

  test('from one that hangs, after --timeout', async () => {
    const { exit, told } = await sendTo(hangs, 'deposit --timeout 50ms');
    expect(exit).toBe(1);
    expect(told[1]).toBe('  ✗ failed: no answer within 50 ms');
  });
});

describe('what is sent', () => {
  const { write: file } = temporaryFolder();

  const [first, second, third] = [1, 2, 3].map((seed) => depositReceivedBody({}, { seed }));

  test('may be saved bodies, which are posted as they are, in order', async () => {
    const saved = ['{ "a" : 1.0 }\r\n', depositReceivedBody(), Buffer.from([0xff, 0x00])];
    const files = saved.map((body, index) => file(`${index}.json`, body));
    const { exit, told, received } = await sendTo(parses(), [...files, '-'], { stdin: '{' });
    expect(exit).toBe(0);
    expect(received.map(({ body }) => body)).toStrictEqual([...saved, '{'].map(Buffer.from));
    const refused = 'refused, as it should be';
    expect(told).toStrictEqual([
      'POST URL',
      `  ✓ 400 in 0ms  ${files[0]}  ${refused}`,
      `  ✓ 200 in 0ms  ${files[1]}`,
      `  ✓ 400 in 0ms  ${files[2]}  ${refused}`,
      `  ✓ 400 in 0ms  standard input  ${refused}`,
      '1 of 1 delivered, 3 of 3 refused, as they should be, in 0ms',
    ]);
  });

  test('may be lines of JSON, of which only failures are shown', async () => {
    const lines = [first, '', second, '{"depositId":1}', third, 'hello'];
    const path = file('lines.ndjson', lines.join('\r\n'));
    const { exit, told, bodies } = await sendTo(failsTimes(1), path);
    expect(exit).toBe(1);
    expect(bodies).toStrictEqual(
      [first, second, '{"depositId":1}', third, 'hello'].map((body) =>
        body === 'hello' ? body : `${body}\r`,
      ),
    );
    expect(told).toStrictEqual([
      'POST URL',
      `  ✗ 500 in 0ms  ${path}:1  database is down`,
      expect.stringContaining(`  ✗ 200 in 0ms  ${path}:4  accepted, but it should be refused: `),
      expect.stringContaining(`  ✗ 200 in 0ms  ${path}:6  accepted, but it should be refused: `),
      '2 of 3 delivered, 0 of 2 refused, as they should be, in 0ms',
    ]);
  });

  test('is every file that can be read, and the others are told of', async () => {
    const good = file('good.json', depositReceivedBody());
    const { exit, err, told, bodies } = await sendTo(answers(200), ['none', good]);
    expect({ exit, bodies }).toStrictEqual({ exit: 2, bodies: [depositReceivedBody()] });
    expect(err).toBe(
      'payment-notifications: none: expected a readable file, received ENOENT (no such file or directory)\n',
    );
    expect(told.at(-1)).toBe('1 of 1 delivered in 0ms');
  });

  test('has the headers that are asked for', async () => {
    const { exit, received } = await sendTo(answers(200), [
      ...['deposit', '--header', 'X-Signature:  a: b ', '--header=x-many: 1', '--header=X-Many: 2'],
      ...['--header', 'content-type: text/plain'],
    ]);
    expect(exit).toBe(0);
    expect(received[0]?.headers).toMatchObject({
      ...{ 'x-signature': 'a: b', 'x-many': '1, 2', 'content-type': 'text/plain' },
    });
  });

  test.each([
    ['me:p%40ss@', [], 'me:p@ss'],
    ['me@', [], 'me:'],
    ['me:secret@', ['--header', 'Authorization: Bearer of-tidings'], null],
  ])('has the credentials of the address %s in a header alone', async (login, args, expected) => {
    // An endpoint that repeats its header, whole, in parts and decoded.
    await using merchant = await endpoint((response, { headers }) => {
      const { authorization = '' } = headers;
      const [, token = ''] = authorization.split(' ');
      response.writeHead(200);
      response.end(
        [authorization, token, token.slice(2, 6), Buffer.from(token, 'base64')].join('|'),
      );
    });
    const to = merchant.url.replace('//', `//${login}`);
    const { out } = await command(['send', 'deposit', '--to', to, ...args]);
    expect(linesOf(out.replace(shownAs(merchant.url), 'URL'))).toStrictEqual([
      'POST URL',
      '  ✓ 200 in 0ms  (not shown: it may repeat a header)',
      '1 of 1 delivered in 0ms',
    ]);
    const { authorization = '' } = merchant.received[0]?.headers ?? {};
    const [scheme, value = ''] = authorization.split(' ');
    expect(scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : null).toBe(expected);
  });

  test('is, with --faulty, also a body of each kind that must be refused', async () => {
    const line = 'withdrawal --faulty --copies 2';
    const { exit, told, received } = await sendTo(parses(), line);
    const faults = faultyBodies(withdrawalBroadcastBody());
    expect(exit).toBe(0);
    expect(received.slice(2).map(({ body }) => body)).toStrictEqual(
      faults.map(({ body }) => Buffer.from(body)),
    );
    expect(told.slice(3, -2)).toStrictEqual(
      faults.map(({ label }) => `  ✓ 400 in 0ms  ${label}  refused, as it should be`),
    );
    const { length } = faults;
    expect(told.slice(-2)).toStrictEqual([
      `2 of 2 delivered, ${length} of ${length} refused, as they should be, in 0ms`,
      expect.stringMatching(/^These are all one event/),
    ]);
  });

  test('and is faulty must be answered, with neither success nor a failure', async () => {
    // Reads as JSON.parse does, and falls over what is not UTF-8.
    const careless: Behaviour = (response, { body }) => {
      const text = body.toString();
      if (text.includes('\ufffd')) return void response.socket?.destroy();
      const { success } = safeParseNotification(text.replace('"1,5"', '15'));
      const isDown = text.includes('"PENDING"');
      response.writeHead(isDown ? 500 : success || text.includes('1e999') ? 200 : 400).end();
    };
    const { exit, told } = await sendTo(careless, 'deposit --faulty');
    expect(exit).toBe(1);
    const commas =
      '  ✗ 200 in 0ms  an amount with a comma  accepted, but it should be refused: actualDeposit';
    expect(told).toContainEqual(expect.stringContaining(commas));
    expect(told.filter((line) => line.startsWith('  ✗ failed'))).toHaveLength(1);
    expect(told.at(-1)).toBe('1 of 1 delivered, 12 of 16 refused, as they should be, in 0ms');
  });
});

test.each([
  ['parses', (body: Buffer) => JSON.parse(body.toString()), 'more than 64 KiB'],
  ['decodes', (body: Buffer) => body.toString(), 'bytes that are not UTF-8'],
])('an endpoint that %s a body before the parser gets it is told so', async (_, read, label) => {
  const { exit, told } = await sendTo(parses(read), 'deposit --faulty');
  expect(exit).toBe(1);
  expect(told).toContainEqual(
    expect.stringContaining(`  ✗ 200 in 0ms  ${label}  accepted, but it should`),
  );
  const cause = 'middleware decodes or parses the body. Pass the raw bytes.';
  expect(told.at(-1)).toBe(`Likely cause: ${cause}`);
});

test('an answer may be empty', async () => {
  expect((await sendTo(answers(204), 'deposit')).told[1]).toBe('  ✓ 204 in 0ms');
});

test('an answer is cut, breaks between words, and can not write elsewhere', async () => {
  const page = `<html>\n\u001b[2J deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11 ${'x'.repeat(500)}`;
  const { told } = await sendTo(answers(500, page), 'deposit', { columns: 60 });
  expect(told.slice(1, 4)).toStrictEqual([
    '  ✗ 500 in 0ms  <html>\\u000a\\u001b[2J',
    '    deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11',
    `    ${'x'.repeat(56)}`,
  ]);
  expect(told.at(-2)).toMatch(/^ {4}x+… \(566 characters\)$/);
  const free = await sendTo(answers(500, page), 'deposit');
  expect(free.told[1]).toMatch(/^.{226}… \(566 characters\)$/);
});

test('with colors there are colors, and nothing else changes', async () => {
  const args = 'deposit --faulty';
  const plain = await sendTo(answers(200, 'ok'), args);
  const coloured = await sendTo(answers(200, 'ok'), args, { colors: true });
  expect(stripVTControlCharacters(coloured.told.join())).toBe(plain.told.join());
  expect(coloured.out).toContain('\u001b[');
});

describe('Ctrl-C', () => {
  test.each([
    ['while it waits for an answer', 'deposit', 1],
    ['between the faulty bodies', 'deposit --faulty', 2],
    ['before a second one begins', 'deposit --faulty --concurrency 2', 2],
  ])('%s stops it with a summary', async (when, line, sent) => {
    const controller = new AbortController();
    const behaviour: Behaviour = (response, _request, n) => {
      if (n === sent) controller.abort();
      if (!when.startsWith('while')) response.writeHead(200).end();
    };
    const { exit, out, bodies } = await sendTo(behaviour, line, { interrupt: controller.signal });
    expect(exit).toBe(130);
    expect(out).toMatch(
      /Interrupted: [01] of 1 delivered(?:, 0 of \d refused, as \w+ should be,)? in 0ms\n/,
    );
    expect(bodies).toHaveLength(sent);
  });

  test('while it reads a body sends none', async () => {
    const controller = new AbortController();
    const input = new Readable({ read: () => controller.abort() });
    const ran = await sendTo(answers(200), '-', { interrupt: controller.signal, input });
    expect(ran).toMatchObject({ exit: 130, err: '', bodies: [] });
    expect(ran.told.at(-1)).toBe('Interrupted: 0 of 0 delivered in 0ms');
  });
});
