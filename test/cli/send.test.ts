import { setTimeout } from 'node:timers/promises';
import { safeParseNotification } from 'payment-notifications';
import {
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { against, answers, type Behaviour, NOBODY } from '../endpoint.js';
import { command, linesOf, temporaryFolder } from './terminal.js';

beforeEach(() => void vi.useFakeTimers({ now: 1000, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const { write: file } = temporaryFolder();
const DEPOSIT = depositReceivedBody();

/** Runs `send` against an endpoint on loopback. `told` is what it prints, without 0 as a time. */
async function sendTo(behave: Behaviour, line: string | string[], stdin = '') {
  const args = typeof line === 'string' ? line.split(' ') : line;
  const { url, received, ...ran } = await against(behave, (to) =>
    command(['send', ...args, '--to', to], { stdin }),
  );
  const out = ran.out.replaceAll(url.replace('/callbacks', '/call…'), 'URL');
  const told = linesOf(out.replaceAll(' in 0 ms', ''));
  return { ...ran, told, received, bodies: received.map(({ body }) => `${body}`) };
}

/** Accepts what the parser reads. */
const parses: Behaviour = (response, { body }) =>
  void response.writeHead(safeParseNotification(body).success ? 200 : 400).end();

const FAULTS = `settlementCurrency: expected a non-empty string, received null; \
settlementAmount: expected a decimal number, received null`;

test.each<[status: number, exit: number, shown: string]>([
  [422, 0, '✓ 422  refused, as it should be'],
  // Its answer has no body at all.
  [204, 1, `✗ 204  accepted, but it should be refused: ${FAULTS}`],
  // These say nothing about the body. fetch itself refuses a 407.
  ...[401, 405, 429, 500].map((status): [number, number, string] => [status, 1, `✗ ${status}`]),
  [404, 1, "✗ 404 (is the URL's secret right?)"],
  [407, 1, '✗ failed'],
])('a faulty webhook, answered with %i, ends with %i', async (status, code, shown) => {
  const line = 'deposit --set settlementAmount=null --set settlementCurrency=null --copies 2';
  const { exit, told, bodies } = await sendTo(answers(status), line);
  // It is sent once.
  expect({ exit, sent: bodies.length }).toStrictEqual({ exit: code, sent: 1 });
  expect(told[1]?.replace(/failed: (?!connection refused).*/, 'failed')).toBe(`  ${shown}`);
  expect(told[2]).toBe(`${1 - code} of 1 faulty refused`);
});

test('the start of an answer is shown, without what could write elsewhere, and how long it took', async () => {
  const slow: Behaviour = (response) => {
    vi.setSystemTime(1340);
    response.end(` <html>\n\u001b[2J ${'x'.repeat(500)}\n`);
  };
  const { exit, told } = await sendTo(slow, 'deposit');
  expect(exit).toBe(0);
  const answer = `<html>\\u000a\\u001b[2J ${'x'.repeat(188)}… (512 characters)`;
  const line = `  ✓ 200 in 340 ms  ${answer}`;
  expect(told).toStrictEqual(['POST URL', line, '1 of 1 delivered']);
});

test.each([
  [
    'https://me:pw@shop.example/callbacks/s3cret-s3cret-s3cret/?token=s3cret',
    /^redirects to https:\/\/shop\.example\/call…\/s3cr…\/$/,
  ],
  ['/elsewhere', /^redirects to http:\/\/127\.0\.0\.1:\d+\/else…$/],
  ['/new', /^redirects to http:\/\/127\.0\.0\.1:\d+\/new$/],
  ['http://', /^moved$/],
])('a redirect is a failure, and the line says where it points: %s', async (location, shown) => {
  const redirects: Behaviour = (response) =>
    void response.writeHead(308, { location }).end('moved');
  const { exit, told, received } = await sendTo(redirects, 'deposit');
  expect({ exit, sent: received.length }).toStrictEqual({ exit: 1, sent: 1 });
  const [, start, text] = told[1]?.split('  ') ?? [];
  expect(start).toBe('✗ 308');
  expect(text).toMatch(shown);
  expect(told.join()).not.toMatch(/s3cret|pw/);
});

test('none is sent once no server is there', async () => {
  const { exit, out } = await command(`send - --to ${NOBODY}`, { stdin: `${DEPOSIT}\n{}` });
  expect(exit).toBe(1);
  expect(linesOf(out).slice(1)).toStrictEqual([
    '  ✗ failed: connection refused (is the server running?)  standard input:1',
    'Stopped, because no server listens at this URL.',
    '0 of 1 delivered',
  ]);
});

test('saved bodies are posted unchanged, one after the other, and files that can not be read are named', async () => {
  let open = 0;
  let most = 0;
  const slow: Behaviour = async (response, request, n) => {
    most = Math.max(most, ++open);
    await setTimeout(5); // a second request would arrive in the meantime
    open -= 1;
    parses(response, request, n);
  };
  const saved = ['{ "a" : 1.0 }\r\n', DEPOSIT, Buffer.from([0xff, 0x00])];
  const files = saved.map((body, index) => file(`${index}.json`, body));
  const { exit, err, told, received } = await sendTo(slow, [...files, 'none', '-'], '{');
  expect({ exit, most }).toStrictEqual({ exit: 2, most: 1 });
  expect(err).toMatch(/^payment-notifications: none: can't be read: .*\n$/);
  expect(received.map(({ body }) => body)).toStrictEqual([...saved, '{'].map(Buffer.from));
  expect(told).toStrictEqual([
    'POST URL',
    `  ✓ 400  ${files[0]}  refused, as it should be`,
    `  ✓ 200  ${files[1]}`,
    `  ✓ 400  ${files[2]}  refused, as it should be`,
    '  ✓ 400  standard input  refused, as it should be',
    '1 of 1 delivered, 3 of 3 faulty refused',
  ]);
  const nothing = await sendTo(answers(200), file('empty.jsonl', ''));
  expect(nothing).toMatchObject({ exit: 1, told: ['POST URL', 'Nothing was sent.'] });
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

  const SECRET = 's3cret-s3cret-s3cret';

  test.each([
    [`/callbacks/${SECRET}`, '/callbacks/s3cr…'],
    [`/callbacks/${SECRET}/?token=s3cret`, '/callbacks/s3cr…/'],
    [`/callbacks/${SECRET}/deposit`, '/callbacks/s3cr…/depo…'],
    ['/callbacks', '/call…'],
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
      `  ✗ 404 in 0 ms (is the URL's secret right?)  Cannot POST ${shown} (${shown}, `,
    );
    if (path.includes(SECRET)) expect(out).not.toMatch(/s3cret/);
  });
});

test('of a long answer, little more than 64 KiB are read', async () => {
  const { told } = await sendTo(answers(200, 'x'.repeat(1_000_000)), 'deposit');
  expect(told[1]).toMatch(/ x{200}… \((?:[6-9]|1\d)\d,\d{3} characters\)$/);
});

test('--faulty also sends a body of each kind that must be refused, and --copies those that are valid', async () => {
  const line = 'withdrawal --status FAILED --seed 7 --faulty --copies 3';
  const fails: Behaviour = (response, request, n) =>
    n === 1 ? response.writeHead(500).end('down') : parses(response, request, n);
  const { exit, told, bodies } = await sendTo(fails, line);
  expect(exit).toBe(1);
  const sample = withdrawalBroadcastBody({ status: 'FAILED' }, { seed: 7 });
  const faults = faultyBodies(sample);
  const sent = [...Array(3).fill(sample), ...faults.map(({ body }) => `${Buffer.from(body)}`)];
  expect(bodies).toStrictEqual(sent);
  expect(told.filter((line) => / {2}copy [23]( |$)/.test(line))).toHaveLength(2);
  expect(told.slice(4)).toStrictEqual([
    ...faults.map(({ label }) => `  ✓ 400  ${label}  refused, as it should be`),
    `2 of 3 delivered, ${faults.length} of ${faults.length} faulty refused`,
  ]);
});
