import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { inspectBody } from 'payment-notifications/inspect';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../src/cli/save.js';
import { MARKS } from '../../src/inspect/display.js';
import { command, listening, temporaryFolder } from './terminal.js';

const { folder, write } = temporaryFolder();
const TIME = '2026-09-21T14:34:20.000Z';
const DEPOSIT = depositReceivedBody();
const HELP = 'Run payment-notifications listen --help\n';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse(TIME), toFake: ['Date'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Sends a request on its own connection. `fetch` gives up after ten seconds without one. */
async function post(url: string, body: string | Uint8Array, options: http.RequestOptions = {}) {
  const request = http.request(url, { method: 'POST', agent: false, ...options }).end(body);
  const [response] = await once(request, 'response');
  await response.toArray();
  return response.statusCode;
}

test('prints each webhook in one line, and answers it', async () => {
  const unread = depositReceivedBody({ status: 'NEW' as never, depositId: '1' });
  const failed = withdrawalBroadcastBody({ status: 'FAILED' });
  const bodies = [DEPOSIT, failed, unread, '{}', '', Buffer.of(0xff)];
  const inspections = bodies.map((body) => inspectBody(body));
  const { exit, err, told } = await listening('', async (url) => {
    for (const [index, body] of bodies.entries()) {
      const isRefused = inspections[index]?.outcome === 'refused';
      expect(await post(url, body)).toBe(isRefused ? 400 : 200);
    }
  });
  expect({ exit, err }).toStrictEqual({ exit: 130, err: '' });
  const refused = inspections.filter(({ outcome }) => outcome === 'refused');
  expect(told).toStrictEqual([
    ...inspections.map(({ outcome, idempotencyKey: key, summary }) =>
      [`${MARKS[outcome]} ${TIME}`, ...(key === null ? [] : [key]), summary].join('  '),
    ),
    `${bodies.length} webhooks, ${refused.length} refused`,
  ]);
});

test('the secret is a new one in each run, which is printed once', async () => {
  const [one, two] = await Promise.all(
    [1, 2].map(() => listening('', (url) => post(url, DEPOSIT))),
  );
  const secret = one?.url.split('/').at(-1);
  expect(secret).toMatch(/^[0-9a-f]{32}$/);
  expect(two?.url).not.toContain(secret);
  expect(one?.first).toBe(`listening at ${one?.url}`);
  expect(one?.told.join('\n')).not.toContain(secret);
});

test('a secret that is given is not printed', async () => {
  const secret = '.a_Secret-of~mine-5';
  const { first, told, err } = await listening(`--secret ${secret}`, async (url) => {
    expect(await post(new URL(secret, url).href, DEPOSIT)).toBe(200);
    expect(await post(url, DEPOSIT)).toBe(404);
  });
  expect(first).toMatch(/^listening at http:\/\/127\.0\.0\.1:\d+\/\.a_S…$/);
  expect(told.join('\n')).not.toContain(secret);
  // The receiver says so by itself.
  expect(err).toMatch(/^payment-notifications: answered 1 request with 404, because .*\n$/);
  expect(told.at(-1)).toBe('1 webhook, 0 refused');
});

test('a visit without a body is answered, and not counted', async () => {
  const { told } = await listening('', async (url) => {
    expect(await post(url, '', { method: 'GET' })).toBe(200);
  });
  expect(told).toStrictEqual(['0 webhooks, 0 refused']);
});

describe('--save', () => {
  test('saves each body unchanged to its own file, in the order of their arrival', async () => {
    const received = join(folder, 'received\u202e');
    const bodies = [DEPOSIT, withdrawalBroadcastBody(), ' '.repeat(65_537), Buffer.of(0xff)].map(
      (body) => Buffer.from(body),
    );
    const { told } = await listening(`--save ${received}`, async (url) => {
      for (const body of bodies) await post(url, body);
    });
    const paths = readdirSync(received).map((name) => join(received, name));
    expect(paths.map((path) => readFileSync(path))).toStrictEqual(bodies);
    const start = `${received}/2026-09-21T14-34-20.000Z-000`;
    expect(paths).toStrictEqual([
      ...[`${start}1-deposit.json`, `${start}2-withdrawal.json`],
      ...[`${start}3-refused.json`, `${start}4-refused.json`],
    ]);
    const shown = [...paths, received].map((path) => path.replace('\u202e', '\\u202e'));
    for (const [index, path] of paths.entries()) {
      expect(told[index]?.endsWith(`  ${shown[index]}`)).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(statSync(received).mode & 0o777).toBe(0o700);
    expect(told.at(-1)).toBe(`4 webhooks, 2 refused, 4 saved in ${shown.at(-1)}`);
    // A later run adds to the folder.
    vi.setSystemTime(Date.parse(TIME) + 1);
    await listening(`--save ${received}`, (url) => post(url, DEPOSIT));
    expect(readdirSync(received)).toHaveLength(bodies.length + 1);
  });

  test('answers 500 while a body can not be saved, so that it is repeated', async () => {
    const received = join(folder, 'gone');
    const { told, exit } = await listening(`--save ${received}`, async (url) => {
      rmSync(received, { recursive: true });
      for (const body of [DEPOSIT, '{}']) expect(await post(url, body)).toBe(500);
    });
    expect(exit).toBe(130);
    const line = /^✗ .*Z {2}not saved, answered with 500: ENOENT \(no such file/;
    expect(told).toStrictEqual([
      ...[expect.stringMatching(line), expect.stringMatching(line)],
      `2 webhooks, 0 refused, 2 not read or not saved, 0 saved in ${received}`,
    ]);
  });

  test('leaves no part of a body that can not be written whole, and replaces no file', () => {
    const received = join(folder, 'parts');
    const [one, other] = [openFolder(received), openFolder(received)];
    expect(() => one(new Date(0), 'deposit', Symbol('no bytes') as never)).toThrow(TypeError);
    expect(readdirSync(received)).toStrictEqual([]);
    other(new Date(0), 'deposit', Buffer.from('1'));
    const path = other(new Date(0), 'deposit', Buffer.from('2'));
    expect(() => one(new Date(0), 'deposit', Buffer.from('3'))).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('2');
  });

  test('names a folder that can not be written, and starts nothing', async () => {
    const path = write('file', '');
    const rule = "--save: can't write to";
    const err = `payment-notifications: ${rule} ${path}: ENOTDIR (not a directory)\n${HELP}`;
    expect(await command(`listen --save ${path}`)).toStrictEqual({ exit: 2, out: '', err });
  });
});

test('listens on an IPv6 address, answers with a status, and names a port that is used', async () => {
  const { url } = await listening('--host ::1 --status 503', async (url) => {
    expect(await post(url, DEPOSIT)).toBe(503);
    const { port } = new URL(url);
    const { exit, err } = await command(`listen --host ::1 --port ${port}`);
    const inUse = `--port: expected a free port, received ${port}, which is in use`;
    const expected = { exit: 2, err: `payment-notifications: ${inUse}\n${HELP}` };
    expect({ exit, err }).toStrictEqual(expected);
  });
  expect(url).toMatch(/^http:\/\/\[::1\]:[1-9]\d*\/\w{32}$/);
});

test('a body that has no end when Ctrl-C is pressed is counted', async () => {
  let closed: Promise<unknown> = Promise.resolve();
  const { told, exit } = await listening('', async (url, stop) => {
    const { port, pathname } = new URL(url);
    const socket = net.connect(Number(port), '127.0.0.1').on('error', () => {});
    // Not once(), which rejects for an error of the connection.
    closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n`);
    socket.write('content-length: 9\r\n\r\n');
    // The server says so when it has begun to read.
    await once(socket, 'data');
    await new Promise<void>((resolve) => socket.write('{', () => resolve()));
    stop();
  });
  await closed;
  expect(exit).toBe(130);
  expect(told).toStrictEqual([
    ...[`✗ ${TIME}  not read: aborted`, '1 webhook, 0 refused, 1 not read or not saved'],
  ]);
});
