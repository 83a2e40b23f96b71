import type { ServerResponse } from 'node:http';
import { stripVTControlCharacters } from 'node:util';
import { safeParseNotification } from 'payment-notifications';
import {
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fetchStart } from '../../src/cli/endpoint.js';
import { against, answers, type Behaviour, failsTimes, hangs, NOBODY } from '../endpoint.js';
import { command, type Given, interruptedInput, linesOf, temporaryFolder } from './terminal.js';

beforeEach(() => void vi.useFakeTimers({ now: 1000, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const { write: file } = temporaryFolder();
const DEPOSIT = depositReceivedBody();

/** Runs `send` against an endpoint on loopback. `told` is what it prints, without 0 as a time. */
async function sendTo(behave: Behaviour, line: string | string[], given: Given = {}) {
  const args = typeof line === 'string' ? line.split(' ') : line;
  const { url, received, ...ran } = await against(behave, (to) =>
    command(['send', ...args, '--to', to], given),
  );
  const out = ran.out.replaceAll(url.replace('/callbacks', '/call…'), 'URL');
  const told = linesOf(out.replaceAll(' in 0ms', ''));
  return { ...ran, told, received, bodies: received.map(({ body }) => `${body}`) };
}

/** Accepts what the parser reads, perhaps after something else has read it. */
const parses =
  (read: (body: Buffer) => string | Buffer = (body) => body): Behaviour =>
  (response, { body }) => {
    let isRead = false;
    try {
      isRead = safeParseNotification(read(body)).success;
    } catch {}
    response.writeHead(isRead ? 200 : 400).end();
  };

const FAULTY = 'deposit --omit settlementAmount --copies 2 --retry';
const FAULT = 'settlementAmount: expected a decimal number, received nothing';
const OTHER = 'settlementCurrency: expected a non-empty string, received nothing';
const NOT_REFUSED = '0 of 1 refused, as it should be,';

test.each<[line: string, status: number, exit: number, shown: string, end: string]>([
  ['deposit', 200, 0, '✓ 200', '1 of 1 delivered'],
  ['deposit', 204, 0, '✓ 204', '1 of 1 delivered'],
  ['deposit', 302, 1, '✗ 302', '0 of 1 delivered'],
  ['deposit', 500, 1, '✗ 500', '0 of 1 delivered'],
  [FAULTY, 400, 0, '✓ 400  refused, as it should be', '1 of 1 refused, as it should be,'],
  [FAULTY, 200, 1, `✗ 200  accepted, but it should be refused: ${FAULT}`, NOT_REFUSED],
  [
    `${FAULTY} --omit settlementCurrency`,
    200,
    1,
    `✗ 200  accepted, but it should be refused: ${OTHER}; ${FAULT}`,
    NOT_REFUSED,
  ],
  // These say nothing about the body. fetch itself refuses a 407.
  ...[302, 401, 403, 405, 429, 500].map((status): [string, number, number, string, string] => {
    return [FAULTY, status, 1, `✗ ${status}`, NOT_REFUSED];
  }),
  [FAULTY, 404, 1, "✗ 404 (is the URL's secret right?)", NOT_REFUSED],
  [FAULTY, 407, 1, '✗ failed', NOT_REFUSED],
])('%s, answered with %i, ends with %i', async (line, status, code, shown, end) => {
  const { exit, told, bodies } = await sendTo(answers(status), line);
  // A faulty body is sent once.
  expect({ exit, sent: bodies.length }).toStrictEqual({ exit: code, sent: 1 });
  expect(told.join()).not.toContain('connection refused');
  const lines = told.slice(1).map((line) => line.replace(/failed: .*/, 'failed'));
  expect(lines).toStrictEqual([`  ${shown}`, end]);
});

test('the answer is shown, and how long it took', async () => {
  const slow: Behaviour = (response) => {
    vi.setSystemTime(1340);
    response.end(' ok\n');
  };
  const { told, bodies } = await sendTo(slow, 'deposit');
  expect(bodies).toStrictEqual([DEPOSIT]);
  expect(told).toStrictEqual(['POST URL', '  ✓ 200 in 340ms  ok', '1 of 1 delivered in 340ms']);
});

test('what is sent is what `sample` prints', async () => {
  const line = 'withdrawal --status BLOCKED --seed 7 --add fee=0.10';
  const { exit, bodies } = await sendTo(answers(200), line);
  expect(await command(`sample ${line}`)).toStrictEqual({ exit, out: `${bodies[0]}\n`, err: '' });
});

test('--copies are posted and counted', async () => {
  const { exit, told, bodies } = await sendTo(failsTimes(1), 'deposit --copies 3');
  expect({ exit, bodies }).toStrictEqual({ exit: 1, bodies: [DEPOSIT, DEPOSIT, DEPOSIT] });
  expect(told.filter((line) => / {2}copy [23]( |$)/.test(line))).toHaveLength(2);
  expect(told).toContain('2 of 3 delivered');
});

test('--retry tries again every two minutes until it is delivered', async () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const told: string[] = [];
  const print = (text: string) => {
    told.push(...linesOf(text.replace(/http\S*\/call…/, 'URL')));
    // Once the attempt has ended, the pause begins.
    if (text.includes('✗')) setImmediate(() => vi.advanceTimersByTime(120_000));
  };
  expect((await sendTo(failsTimes(2), 'deposit --retry', { print })).exit).toBe(0);
  expect(told).toStrictEqual([
    'POST URL, again every 2m for up to 24h',
    '  ✗ 500 in 0ms  database is down',
    '  ✗ 500 in 0ms  attempt 2  database is down',
    '  ✓ 200 in 0ms  attempt 3  ok',
    '1 of 1 delivered in 4m, 3 attempts',
  ]);
});

test.each([
  ['-', 1],
  ['- --concurrency 3', 3],
  ['- --concurrency 9', 6],
])('send %s posts %i bodies at a time', async (line, most) => {
  const open: ServerResponse[] = [];
  let highest = 0;
  const together: Behaviour = (response) => {
    open.push(response);
    const answer = () => {
      highest = Math.max(highest, open.length);
      for (const one of open.splice(0)) one.end();
    };
    // Later, so that one body too many would have arrived.
    if (open.length === most) setTimeout(answer, 20);
  };
  const stdin = [1, 2, 3, 4, 5, 6].map((seed) => depositReceivedBody({}, { seed })).join('\n');
  const { exit, told, bodies } = await sendTo(together, line, { stdin });
  expect({ exit, highest, sent: new Set(bodies).size }).toStrictEqual({
    ...{ exit: 0, highest: most, sent: 6 },
  });
  expect(told).toStrictEqual(['POST URL', '6 of 6 delivered']);
});

test('a server that is not there is reported once, not for each body and copy', async () => {
  const { exit, out } = await command(`send deposit --faulty --copies 3 --to ${NOBODY}`);
  expect(exit).toBe(1);
  expect(linesOf(out).slice(1)).toStrictEqual([
    '  ✗ failed: connection refused (is the server running?)',
    expect.stringMatching(/^0 of 3 delivered, 0 of \d\d refused, as they should be, in 0ms$/),
    expect.stringMatching(/^These are all one event/),
  ]);
});

test('an endpoint that hangs is reported after --timeout', async () => {
  const { exit, told } = await sendTo(hangs, 'deposit --timeout 50ms');
  expect({ exit, shown: told[1] }).toStrictEqual({
    ...{ exit: 1, shown: '  ✗ failed: no answer within 50 ms' },
  });
});

test('saved bodies are posted unchanged, in order', async () => {
  const saved = ['{ "a" : 1.0 }\r\n', DEPOSIT, Buffer.from([0xff, 0x00])];
  const files = saved.map((body, index) => file(`${index}.json`, body));
  const { exit, told, received } = await sendTo(parses(), [...files, '-'], { stdin: '{' });
  expect(exit).toBe(0);
  expect(received.map(({ body }) => body)).toStrictEqual([...saved, '{'].map(Buffer.from));
  expect(told).toStrictEqual([
    'POST URL',
    `  ✓ 400  ${files[0]}  refused, as it should be`,
    `  ✓ 200  ${files[1]}`,
    `  ✓ 400  ${files[2]}  refused, as it should be`,
    '  ✓ 400  standard input  refused, as it should be',
    '1 of 1 delivered, 3 of 3 refused, as they should be,',
  ]);
});

test('of lines of JSON, only failures are shown', async () => {
  const [first, second, third] = [1, 2, 3].map((seed) => depositReceivedBody({}, { seed }));
  const lines = [first, '', second, '{"depositId":1}', third, 'hello'];
  const path = file('lines.ndjson', lines.join('\r\n'));
  const { exit, told, bodies } = await sendTo(failsTimes(1), path);
  expect(exit).toBe(1);
  expect(bodies).toStrictEqual(
    [first, second, '{"depositId":1}', third].map((body) => `${body}\r`).concat('hello'),
  );
  expect(told).toStrictEqual([
    'POST URL',
    `  ✗ 500  ${path}:1  database is down`,
    expect.stringContaining(`  ✗ 200  ${path}:4  accepted, but it should be refused: `),
    expect.stringContaining(`  ✗ 200  ${path}:6  accepted, but it should be refused: `),
    '2 of 3 delivered, 0 of 2 refused, as they should be,',
  ]);
});

test('every file that can be read is sent, and the others are named', async () => {
  const ran = await sendTo(answers(200), ['none', file('good.json', DEPOSIT)]);
  expect(ran).toMatchObject({
    ...{ exit: 2, bodies: [DEPOSIT] },
    err: 'payment-notifications: none: expected a readable file, received ENOENT (no such file or directory)\n',
  });
  expect(ran.told.at(-1)).toBe('1 of 1 delivered');
});

describe('what an endpoint may repeat', () => {
  test('headers are sent, and never shown', async () => {
    const headers = ['X-Signature:  a: b ', 'x-many: 1', 'X-Many: 2', 'content-type: text/plain'];
    const line = ['deposit', ...headers.flatMap((header) => ['--header', header])];
    const { told, received } = await sendTo(answers(200, 'a: b'), line);
    expect(told[1]).toBe('  ✓ 200  (not shown: it may repeat a header)');
    expect(received[0]?.headers).toMatchObject({
      ...{ 'x-signature': 'a: b', 'x-many': '1, 2', 'content-type': 'text/plain' },
    });
  });

  test.each([
    ['me:p%40ss@', [], 'Basic', 'me:p@ss'],
    ['me@', [], 'Basic', 'me:'],
    ['me:secret@', ['--header', 'Authorization: Bearer of-tidings'], 'Bearer', ''],
  ])('the credentials of %s are in a header alone', async (login, args, scheme, credentials) => {
    // Repeats its header, whole, in parts and decoded.
    const repeats: Behaviour = (response, { headers: { authorization = '' } }) => {
      const [, token = ''] = authorization.split(' ');
      const parts = [authorization, token, token.slice(2, 6), Buffer.from(token, 'base64')];
      response.end(parts.join('|'));
    };
    const { url, received, out } = await against(repeats, (to) =>
      command(['send', 'deposit', ...args, '--to', to.replace('//', `//${login}`)]),
    );
    expect(linesOf(out)).toStrictEqual([
      `POST ${url.replace('/callbacks', '/call…')}`,
      '  ✓ 200 in 0ms  (not shown: it may repeat a header)',
      '1 of 1 delivered in 0ms',
    ]);
    const [sent, token = ''] = received[0]?.headers.authorization?.split(' ') ?? [];
    expect(sent).toBe(scheme);
    if (scheme === 'Basic') expect(`${Buffer.from(token, 'base64')}`).toBe(credentials);
  });

  const SECRET = 's3cret-s3cret-s3cret';

  test.each([
    [`/callbacks/${SECRET}`, '/callbacks/s3cr…'],
    [`/callbacks/${SECRET}/?token=s3cret`, '/callbacks/s3cr…/'],
    [`/callbacks/${SECRET}/deposit`, '/callbacks/s3cr…/depo…'],
    ['/callbacks', '/call…'],
    ['/', '/'],
  ])('the path %s, which ends with a secret, is shown as %s', async (path, shown) => {
    // Like Express, and as a log of queries would.
    const repeats: Behaviour = (response, { url = '' }) => {
      const [start, query = ''] = url.split('?');
      response.writeHead(404).end(`Cannot POST ${url} (${start}, ${SECRET}, ?${query})`);
    };
    const { url, received, out } = await against(repeats, (to) =>
      command(['send', 'deposit', '--to', new URL(path, to).href]),
    );
    expect(received[0]?.url).toBe(path);
    const told = linesOf(out);
    expect(told[0]).toBe(`POST ${new URL(url).origin}${shown}`);
    expect(told[1]).toContain(
      `  ✗ 404 in 0ms (is the URL's secret right?)  Cannot POST ${shown} (${shown}, `,
    );
    if (path.includes(SECRET)) expect(out).not.toMatch(/s3cret/);
  });

  test('an answer may be long and without an end: 64 KiB of it are read', async () => {
    let written = 0;
    const endless: Behaviour = (response) => {
      const more = () => {
        do written += 65_000;
        while (response.write('x'.repeat(65_000)));
      };
      response.on('drain', more);
      more();
    };
    const request = { method: 'POST', headers: {}, body: '{}', redirect: 'manual' } as never;
    const textOf = (behave: Behaviour) =>
      against(behave, async (url) => ({ text: await (await fetchStart(url, request)).text() }));
    expect((await textOf(endless)).text).toMatch(/^x{65536}…$/);
    // What the system holds between the two is more than 64 KiB.
    expect(written).toBeLessThan(50_000_000);
    const whole = 'x'.repeat(65_536);
    expect((await textOf(answers(200, whole))).text).toBe(whole);
  });

  test('an answer is cut, breaks between words, and can not write elsewhere', async () => {
    const key = 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11';
    const page = `<html>\n\u001b[2J ${key} ${'x'.repeat(500)}`;
    const { told } = await sendTo(answers(500, page), 'deposit', { columns: 60 });
    expect(told.slice(1, 4)).toStrictEqual([
      ...['  ✗ 500  <html>\\u000a\\u001b[2J', `    ${key}`, `    ${'x'.repeat(56)}`],
    ]);
    expect(told.at(-2)).toMatch(/^ {4}x+… \(566 characters\)$/);
    const free = await sendTo(answers(500, page), 'deposit');
    expect(free.told[1]).toMatch(/^.{219}… \(566 characters\)$/);
  });
});

describe('--faulty', () => {
  test('also sends a body of each kind that must be refused', async () => {
    const { exit, told, received } = await sendTo(parses(), 'withdrawal --faulty --copies 2');
    const faults = faultyBodies(withdrawalBroadcastBody());
    expect(exit).toBe(0);
    expect(received.slice(2).map(({ body }) => body)).toStrictEqual(
      faults.map(({ body }) => Buffer.from(body)),
    );
    const { length } = faults;
    expect(told.slice(3)).toStrictEqual([
      ...faults.map(({ label }) => `  ✓ 400  ${label}  refused, as it should be`),
      `2 of 2 delivered, ${length} of ${length} refused, as they should be,`,
      expect.stringMatching(/^These are all one event/),
    ]);
  });

  test('must be answered, with neither success nor a failure', async () => {
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
    const comma = '  ✗ 200  an amount with a comma  accepted, but it should be refused: actualDep';
    expect(told).toContainEqual(expect.stringContaining(comma));
    expect(told.filter((line) => line.startsWith('  ✗ failed'))).toHaveLength(1);
    expect(told.at(-1)).toBe('1 of 1 delivered, 12 of 16 refused, as they should be,');
  });

  test.each([
    ['parses', (body: Buffer) => JSON.parse(body.toString()), 'more than 64 KiB'],
    ['decodes', (body: Buffer) => body.toString(), 'bytes that are not UTF-8'],
  ])('names the cause if the endpoint %s a body before the parser', async (_, read, label) => {
    const { exit, told } = await sendTo(parses(read), 'deposit --faulty');
    expect(exit).toBe(1);
    const shown = `  ✗ 200  ${label}  accepted, but it should`;
    expect(told).toContainEqual(expect.stringContaining(shown));
    const cause = 'middleware decodes or parses the body. Pass the raw bytes.';
    expect(told.at(-1)).toBe(`Likely cause: ${cause}`);
  });

  test('has colors, and nothing else changes', async () => {
    const line = 'deposit --faulty';
    const plain = await sendTo(answers(200, 'ok'), line);
    const colored = await sendTo(answers(200, 'ok'), line, { colors: true });
    expect(stripVTControlCharacters(colored.told.join())).toBe(plain.told.join());
    const [green, red] = ['\u001b[32m', '\u001b[31m'];
    expect(colored.out).toContain(`${green}1 of 1 delivered`);
    // The endpoint accepts the faulty bodies as well.
    expect(colored.out).toContain(`${red}0 of `);
    const none = await sendTo(answers(200), file('none.ndjson', ''), { colors: true });
    expect(none).toMatchObject({ exit: 1, out: expect.stringContaining(`${red}0 of 0 delivered`) });
    const some = await sendTo(failsTimes(1), 'deposit --copies 2', { colors: true });
    expect(some.out).toContain(`${red}1 of 2 delivered`);
  });
});

test.each([
  ['while it waits for an answer', 'deposit', 1],
  ['between the faulty bodies', 'deposit --faulty', 2],
  ['before a second one begins', 'deposit --faulty --concurrency 2', 2],
])('Ctrl-C %s stops it with a summary', async (when, line, sent) => {
  const controller = new AbortController();
  const behave: Behaviour = (response, _request, n) => {
    if (n === sent) controller.abort();
    if (!when.startsWith('while')) response.end();
  };
  const { exit, told, bodies } = await sendTo(behave, line, { interrupt: controller.signal });
  expect({ exit, sent: bodies.length }).toStrictEqual({ exit: 130, sent });
  const end = /^Interrupted: [01] of 1 delivered(, 0 of \d refused, as \w+ should be,)?$/;
  expect(told).toContainEqual(expect.stringMatching(end));
});

test('Ctrl-C while it reads a body sends none', async () => {
  const ran = await sendTo(answers(200), '-', interruptedInput());
  expect(ran).toMatchObject({ exit: 130, err: '', bodies: [] });
  expect(ran.told.at(-1)).toBe('Interrupted: 0 of 0 delivered');
});
