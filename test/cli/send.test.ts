import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { parseNotification, safeParseNotification } from 'payment-notifications';
import {
  bodyVariants,
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import {
  against,
  answers,
  type Behaviour,
  endpoint,
  failsTimes,
  hangs,
  refusingEndpoint,
} from '../endpoint.js';
import { command, type Given, linesOf, temporaryFolder, ticking } from './terminal.js';

/** Runs `send` against an endpoint on loopback. */
async function sendTo(behaviour: Behaviour, line: string | string[], given: Given = {}) {
  const args = typeof line === 'string' ? line.split(' ') : line;
  const { url, received, ...ran } = await against(behaviour, (to) =>
    command(['send', ...args, '--to', to], given),
  );
  const told = linesOf(ran.out.replaceAll(url, 'URL'));
  return { ...ran, told, received, bodies: received.map(({ body }) => `${body}`) };
}

describe('sending', () => {
  test('posts a deposit and shows the answer, and how long it took', async () => {
    const clock = ticking(340);
    const { exit, told, bodies } = await sendTo(answers(200, 'ok'), 'deposit', { clock });
    expect(exit).toBe(0);
    expect(bodies).toStrictEqual([depositReceivedBody()]);
    expect(told).toStrictEqual(['POST URL', '  ✓ 200 in 340ms  ok', '1 of 1 delivered in 1.4s']);
  });

  test.each([
    ['withdrawal --status BLOCKED', { status: 'BLOCKED', withdrawFee: null }],
    ['withdrawal --set status=FAILED', { status: 'FAILED', transactionId: null }],
    ['withdrawal --seed 7', { clientWithdrawalId: 'payout-7' }],
    [
      'deposit --set actualDepositAmount=0.10000000000000000001 --set network=A=B',
      { actualDepositAmount: '0.10000000000000000001', network: 'A=B' },
    ],
    ['deposit --set paymentReceivedAt=0', { paymentReceivedAt: '1970-01-01T00:00:00.000Z' }],
    ['deposit --set onChainFee=null', { onChainFee: null }],
  ])('%j posts what was asked for', async (line, expected) => {
    const { exit, bodies } = await sendTo(answers(200), line);
    expect(exit).toBe(0);
    const notification = parseNotification(`${bodies[0]}`);
    expect(JSON.parse(JSON.stringify(notification))).toMatchObject(expected);
  });

  test('says when a body is one that a handler should refuse', async () => {
    const line = 'deposit --set paymentId=x --omit settlementAmount --copies 2';
    const { exit, told } = await sendTo(answers(400), line);
    expect(exit).toBe(1);
    // Without the sentence about one event.
    expect(told).toStrictEqual([
      'POST URL',
      expect.stringMatching(
        /^A handler should refuse this body: .*paymentId: expected a UUID.*; settlementAmount: /,
      ),
      expect.stringMatching(/^ {2}✗ 400 in 0ms/),
      expect.stringMatching(/^ {2}✗ 400 in 0ms/),
      '0 of 2 delivered in 0ms',
    ]);
  });

  test('with --variants posts every variant and names it', async () => {
    const { exit, told, bodies } = await sendTo(answers(200), 'withdrawal --variants', {
      columns: 200,
    });
    const variants = bodyVariants(bodies[0] ?? '');
    expect(exit).toBe(0);
    expect(bodies).toStrictEqual(variants.map(({ body }) => body));
    expect(told.slice(1, -1)).toStrictEqual([
      ...variants.map(({ label }) => `  ✓ 200 in 0ms  ${label}`),
      `${variants.length} of ${variants.length} delivered in 0ms`,
    ]);
    expect(told.at(-1)).toBe(
      'These are all one event: credit or debit it once, as withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44:COMPLETED.',
    );
  });

  test('with --copies posts them and counts them', async () => {
    const { exit, told, bodies } = await sendTo(failsTimes(1), 'deposit --copies 3');
    expect(exit).toBe(1);
    expect(bodies).toStrictEqual([1, 2, 3].map(() => depositReceivedBody()));
    expect(told.filter((line) => / {2}copy [23]( |$)/.test(line))).toHaveLength(2);
    expect(told).toContain('2 of 3 delivered in 0ms');
  });

  test('with --retry tries again until it is delivered, and says when', async () => {
    const { exit, told } = await sendTo(failsTimes(2), 'deposit --retry');
    expect(exit).toBe(0);
    expect(told).toStrictEqual([
      'POST URL',
      '  ✗ 500 in 0ms  database is down',
      '  trying again in 2m',
      '  ✗ 500 in 0ms  attempt 2  database is down',
      '  trying again in 2m',
      '  ✓ 200 in 0ms  attempt 3  ok',
      '1 of 1 delivered in 4m, 3 attempts',
    ]);
  });

  test('with --json gives a line for each answer and one for the outcome', async () => {
    const line = 'deposit --json --retry --every=40ms --for=100ms';
    const { exit, told } = await sendTo(answers(500, 'database is down'), line);
    expect(exit).toBe(1);
    const failed = { copy: 1, success: false, answer: { status: 500, body: 'database is down' } };
    expect(told.map((text) => JSON.parse(text))).toMatchObject([
      { ...failed, number: 1 },
      { ...failed, number: 2 },
      { ...failed, number: 3 },
      {
        ...{ delivered: 0, of: 1, attempts: 3, durationMs: 80, interrupted: false },
        idempotencyKey: 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11',
      },
    ]);
    const variants = await sendTo(answers(200), 'deposit --json --variants');
    const delivered = { label: 'as given', success: true, error: null };
    expect(JSON.parse(`${variants.told[0]}`)).toMatchObject(delivered);
    const invalid = await sendTo(answers(200), 'deposit --json --omit status');
    expect(JSON.parse(`${invalid.told[1]}`)).toMatchObject({ idempotencyKey: null });
  });
});

describe('no answer', () => {
  test('from a server that is not there', async () => {
    await using nobody = await refusingEndpoint();
    const { exit, out, err } = await command(['send', 'deposit', '--to', nobody.url]);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(linesOf(out)[1]).toMatch(/^ {2}✗ failed: .*ECONNREFUSED.* \(is the server running\?\)$/);
  });

  test('from one that hangs, after --timeout', async () => {
    const { exit, told } = await sendTo(hangs, 'deposit --timeout 50ms');
    expect(exit).toBe(1);
    expect(told[1]).toBe('  ✗ failed: no answer within 50 ms');
  });
});

describe('what is sent', () => {
  const { write: file } = temporaryFolder();

  test('may be kept bodies, which are posted as they are, in order', async () => {
    const kept = ['{ "a" : 1.0 }\r\n', depositReceivedBody(), Buffer.from([0xff, 0x00])];
    const files = kept.map((body, index) => file(`${index}.json`, body));
    const { exit, told, received } = await sendTo(answers(200), [...files, '-'], { stdin: '{' });
    expect(exit).toBe(0);
    expect(received.map(({ body }) => body)).toStrictEqual([...kept, '{'].map(Buffer.from));
    expect(told).toStrictEqual([
      'POST URL',
      expect.stringContaining(`A handler should refuse ${files[0]}: `),
      `  ✓ 200 in 0ms  ${files[0]}`,
      `  ✓ 200 in 0ms  ${files[1]}`,
      expect.stringContaining(`A handler should refuse ${files[2]}: `),
      `  ✓ 200 in 0ms  ${files[2]}`,
      expect.stringMatching(/^A handler should refuse standard input: .*incomplete JSON of 1 char/),
      '  ✓ 200 in 0ms  standard input',
      '4 of 4 delivered in 0ms',
    ]);
  });

  test('is every file that can be read, and the others are told of', async () => {
    const good = file('good.json', depositReceivedBody());
    const long = file('long.json', ' '.repeat(65_537));
    const { exit, err, told, bodies } = await sendTo(answers(200), ['none', long, 'src', good]);
    expect({ exit, bodies }).toStrictEqual({ exit: 2, bodies: [depositReceivedBody()] });
    expect(linesOf(err)).toStrictEqual([
      "payment-notifications: none: ENOENT: no such file or directory, open 'none'",
      `payment-notifications: ${long}: more than 65536 bytes: not a body`,
      'payment-notifications: src: EISDIR: illegal operation on a directory, read',
    ]);
    expect(told.at(-1)).toBe('1 of 1 delivered in 0ms');
    expect(await sendTo(answers(200), 'none')).toMatchObject({ exit: 2, out: '', bodies: [] });
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
    expect(linesOf(out.replace(merchant.url, 'URL'))).toStrictEqual([
      'POST URL',
      '  ✓ 200 in 0ms  (not shown without --answers)',
      '1 of 1 delivered in 0ms',
    ]);
    const json = await command(['send', 'deposit', '--to', to, ...args, '--json']);
    const [attempt = ''] = linesOf(json.out);
    expect(JSON.parse(attempt).answer).toStrictEqual({
      status: 200,
      body: '(not shown without --answers)',
    });
    const { authorization = '' } = merchant.received[0]?.headers ?? {};
    const [scheme, value = ''] = authorization.split(' ');
    expect(scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : null).toBe(expected);
    const asked = await command(['send', 'deposit', '--to', to, ...args, '--answers']);
    expect(asked.out).toContain(`  ✓ 200 in 0ms  ${authorization}|`);
  });

  test('is, with --faulty, also a body of each kind that must be refused', async () => {
    const handler: Behaviour = (response, { body }) => {
      const { success } = safeParseNotification(body);
      response.writeHead(success ? 200 : 400).end();
    };
    const line = 'withdrawal --faulty --copies 2 --retry';
    const { exit, told, received } = await sendTo(handler, line);
    const faults = faultyBodies(withdrawalBroadcastBody());
    expect(exit).toBe(0);
    expect(received.slice(2).map(({ body }) => body)).toStrictEqual(
      faults.map(({ body }) => Buffer.from(body)),
    );
    expect(told.slice(3, -3)).toStrictEqual(faults.map(({ label }) => `  ✓ 400 in 0ms  ${label}`));
    expect(told.slice(-3)).toStrictEqual([
      '2 of 2 delivered in 0ms',
      `${faults.length} of ${faults.length} faulty bodies refused`,
      expect.stringMatching(/^These are all one event/),
    ]);
  });

  test('and is faulty must not be answered with success, nor not at all', async () => {
    // Reads as JSON.parse does, and falls over what is not UTF-8.
    const careless: Behaviour = (response, { body }) => {
      const text = body.toString();
      if (text.includes('\ufffd')) return void response.socket?.destroy();
      const { success } = safeParseNotification(text.replace('"1,5"', '15'));
      response.writeHead(success || text.includes('1e999') ? 200 : 400).end();
    };
    const { exit, told } = await sendTo(careless, 'deposit --faulty');
    expect(exit).toBe(1);
    expect(told).toContain('  ✗ 200 in 0ms  an amount with a comma');
    expect(told.filter((line) => line.startsWith('  ✗ failed'))).toHaveLength(1);
    expect(told.slice(-2)).toStrictEqual([
      '1 of 1 delivered in 0ms',
      '12 of 15 faulty bodies refused',
    ]);
    const data = await sendTo(careless, 'deposit --faulty --json');
    const lines = data.told.map((line) => JSON.parse(line));
    expect(lines[1]).toMatchObject({
      label: 'an empty body',
      code: 'invalid_json',
      success: false,
    });
    expect(lines.at(-1)).toMatchObject({
      ...{ delivered: 1, of: 1, attempts: 1 },
      faulty: { of: 15, refused: 12 },
    });
  });
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
  expect(told.at(-2)).toMatch(/^ {4}x+…$/);
  const free = await sendTo(answers(500, page), 'deposit');
  expect(free.told[1]).toHaveLength(227);
});

test('with colours there are colours, and nothing else changes', async () => {
  const args = 'deposit --omit status --faulty';
  const plain = await sendTo(answers(200, 'ok'), args);
  const coloured = await sendTo(answers(200, 'ok'), args, { colours: true });
  expect(stripVTControlCharacters(coloured.told.join())).toBe(plain.told.join());
  expect(coloured.out).toContain('\u001b[');
});

describe('Ctrl-C', () => {
  test.each([
    ['while it waits for an answer', 'deposit', 1],
    ['between the variants', 'deposit --variants', 1],
    ['between the faulty bodies', 'deposit --faulty', 2],
  ])('%s stops it with a summary', async (when, line, sent) => {
    const controller = new AbortController();
    const behaviour: Behaviour = (response, _request, n) => {
      if (n === sent) controller.abort();
      if (!when.startsWith('while')) response.writeHead(200).end();
    };
    const { exit, out, bodies } = await sendTo(behaviour, line, { interrupt: controller.signal });
    expect(exit).toBe(130);
    expect(out).toMatch(/Interrupted: [01] of \d+ delivered in 0ms/);
    expect(bodies).toHaveLength(sent);
  });

  test('while it reads a body sends none', async () => {
    const controller = new AbortController();
    const input = new Readable({ read: () => controller.abort() });
    const ran = await sendTo(answers(200), '-', { interrupt: controller.signal, input });
    expect(ran).toMatchObject({ exit: 130, out: '', err: '', bodies: [] });
  });
});
