import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspectBody } from 'payment-notifications/inspect';
import {
  depositReceivedBody,
  faultyBodies,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createInbox } from '../../src/cli/listen.js';
import { openFolder } from '../../src/cli/save.js';
import { MARKS } from '../../src/inspect/display.js';
import { OUTCOMES } from '../inspect/outcomes.js';
import { command, type Given, linesOf, temporaryFolder } from './terminal.js';

const { folder, write } = temporaryFolder();
const TIME = '2026-09-21T14:34:20.000Z';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse(TIME), toFake: ['Date'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Runs `listen` on a free port until `act` has ended. `secret` is the one that it made. */
async function listening(
  args: string[],
  act: (url: string, stop: () => void) => Promise<unknown>,
  given: Given = {},
) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const told: string[] = [];
  let start: (url: string) => void;
  const started = new Promise<string>((resolve) => {
    start = resolve;
  });
  const print = (text: string) => {
    told.push(text);
    const [, url] = /^listening at (\S+)/.exec(text) ?? [];
    if (url !== undefined) start(url);
  };
  const ended = command(['listen', '--port', '0', ...args], {
    ...{ print, interrupt: controller.signal, ...given },
  });
  const url = await started;
  await act(url, stop);
  stop();
  const { exit, err } = await ended;
  const [first = '', ...lines] = linesOf(told.join(''));
  return { url, secret: url.split('/').at(-1) ?? '', exit, err, first, told: lines.slice(1) };
}

async function post(url: string, body: string | Uint8Array): Promise<number> {
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(Buffer.from(body)) });
  await response.arrayBuffer();
  return response.status;
}

/** Posts a body on its own connection. `fetch` gives up after ten seconds without one. */
const postAlone = (url: string, body: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject).end(body);
  });

/** The names and bytes of the files in a folder. */
const filesIn = (path: string): [name: string, body: Buffer][] =>
  readdirSync(path).map((name) => [name, readFileSync(join(path, name))]);

test('prints each callback in one line, and answers it', async () => {
  const statuses: number[] = [];
  const bodies = [
    ...OUTCOMES.map(([, body]) => body),
    depositReceivedBody({ status: 'NEW' as never, depositId: '1' }),
    '',
  ];
  const { exit, err, told } = await listening([], async (url) => {
    for (const body of bodies) statuses.push(await post(url, body));
  });
  expect({ exit, err }).toStrictEqual({ exit: 130, err: '' });
  const inspections = bodies.map((body) => inspectBody(body));
  const refused = inspections.filter(({ outcome }) => outcome === 'refused');
  expect(statuses).toStrictEqual(
    inspections.map(({ outcome }) => (outcome === 'refused' ? 400 : 200)),
  );
  expect(told).toStrictEqual([
    ...inspections.map(({ outcome, idempotencyKey, summary }) =>
      [`${MARKS[outcome]} ${TIME}`, ...(idempotencyKey ? [idempotencyKey] : []), summary].join(
        '  ',
      ),
    ),
    `${inspections.length} callbacks, ${refused.length} refused`,
  ]);
});

describe('the secret', () => {
  test('is a new one in each run, which is printed once', async () => {
    const runs = [1, 2].map(() => listening([], (url) => post(url, depositReceivedBody())));
    const [one, two] = await Promise.all(runs);
    expect(one?.secret).toMatch(/^[0-9a-f]{32}$/);
    expect(two?.secret).not.toBe(one?.secret);
    expect(one?.first).toBe(`listening at ${one?.url}`);
    expect(one?.told.join('\n')).not.toContain(one?.secret);
  });

  test('may be given, and is not printed then', async () => {
    const secret = '.a_Secret-of~mine-5';
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { first, told } = await listening(['--secret', secret], async (url) => {
      expect(await post(new URL(secret, url).href, depositReceivedBody())).toBe(200);
      expect(await post(`${new URL(secret, url)}/?x`, depositReceivedBody())).toBe(200);
      expect(await post(url, depositReceivedBody())).toBe(404);
      expect(await post(new URL(`/${secret}/deposits`, url).href, '{}')).toBe(404);
    });
    expect(first).toMatch(/^listening at http:\/\/127\.0\.0\.1:\d+\/\.a_S…$/);
    expect(told.join('\n')).not.toContain(secret);
    // The receiver says so by itself.
    expect(warn.mock.calls.flat()).toStrictEqual([
      expect.stringMatching(/^answered 1 request with 404, because the URL/),
    ]);
    expect(told.slice(2)).toStrictEqual(['2 callbacks, 0 refused']);
  });

  test.each(['too-short', 'with a space in it', 's3cret/s3cret/s3cret', 's3cret-s3cret-s3cret%'])(
    'may not be %j, and the error does not show it',
    async (secret) => {
      const { exit, out, err } = await command(['listen', '--secret', secret]);
      expect({ exit, out }).toStrictEqual({ exit: 2, out: '' });
      expect(err).toBe(
        `payment-notifications: --secret: expected at least 16 letters, digits or any of -._~, received a string of length ${secret.length}. Omit it to make one\n`,
      );
    },
  );
});

test('a visit without a body is shown, because it shows that a tunnel works', async () => {
  const { told } = await listening([], async (url) => {
    expect((await fetch(url)).status).toBe(200);
    const paths = ['/', `/${'long/'.repeat(100)}`, '/a?password=s3cret', '/wp-login.php'];
    for (const path of paths) await fetch(new URL(path, url), { method: 'HEAD' });
    // A callback may be a GET that has a body.
    const sent = http.request(url, { method: 'GET', headers: { 'content-length': 2 } }).end('{}');
    await once(sent, 'response');
    const chunked = http.request(url, { headers: { 'transfer-encoding': 'chunked' } }).end('{}');
    await once(chunked, 'response');
  });
  const visit = (text: string) => `? ${TIME}  ${text} without a body, answered with`;
  expect(told).toStrictEqual([
    expect.stringMatching(/^\? \S+ {2}GET \/\w{4}… without a body, answered with 200$/),
    `${visit('HEAD /')} 404`,
    `${visit(`HEAD /${'long/'.repeat(100).slice(0, 39)}… (501 characters)`)} 404`,
    `${visit('HEAD /a')} 404`,
    `${visit('HEAD /wp-l…')} 404`,
    ...[1, 2].map(() => `✗ ${TIME}  ${inspectBody('{}').summary}`),
    '2 callbacks, 2 refused',
  ]);
});

describe('--save', () => {
  const faulty = faultyBodies().filter(({ code }) => code !== 'body_too_large');
  const pretty = JSON.stringify(JSON.parse(depositReceivedBody()), null, 2);
  const bodies = [
    ...[depositReceivedBody(), depositReceivedBody(), withdrawalBroadcastBody(), pretty],
    ...faulty.map(({ body }) => body),
    `${pretty.slice(0, -9)}\n`,
  ].map((body) => Buffer.from(body));

  test('keeps each body unchanged in a file of its own, in the order in which they came', async () => {
    const callbacks = join(folder, 'callbacks');
    const { told } = await listening(['--save', callbacks], async (url) => {
      for (const body of bodies) await post(url, body);
    });
    const files = filesIn(callbacks);
    expect(files.map(([, body]) => body)).toStrictEqual(bodies);
    for (const [name] of files) {
      expect(name).toMatch(/^2026-09-21T14-34-20\.000Z-\d{4}-(deposit|withdrawal|refused)\.json$/);
      expect(told.filter((line) => line.endsWith(`  ${join(callbacks, name)}`))).toHaveLength(1);
      expect(statSync(join(callbacks, name)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(callbacks).mode & 0o777).toBe(0o700);
    expect(told.at(-1)).toBe(
      `${bodies.length} callbacks, ${faulty.length + 1} refused, ${bodies.length} saved in ${callbacks}`,
    );
    // A second run adds to the folder.
    await listening(['--save', callbacks], (url) => post(url, depositReceivedBody()));
    expect(readdirSync(callbacks)).toHaveLength(bodies.length + 1);
  });

  test('keeps 200 bodies that come at once', async () => {
    const callbacks = join(folder, 'many');
    const sent = Array.from({ length: 200 }, (_, seed) => depositReceivedBody({}, { seed }));
    const { told } = await listening(['--save', callbacks], async (url) => {
      const statuses = await Promise.all(sent.map((body) => postAlone(url, body)));
      expect(statuses.filter((status) => status !== 200)).toStrictEqual([]);
    });
    expect(told).toHaveLength(201);
    expect(told.at(-1)).toBe(`200 callbacks, 0 refused, 200 saved in ${callbacks}`);
    const found = filesIn(callbacks).map(([, body]) => `${body}`);
    expect(found.sort()).toStrictEqual([...sent].sort());
  });

  test('answers 500 while a body can not be saved, so that it is repeated', async () => {
    const callbacks = join(folder, 'gone');
    const { told, exit } = await listening(['--save', callbacks], async (url) => {
      rmSync(callbacks, { recursive: true });
      expect(await post(url, depositReceivedBody())).toBe(500);
      expect(await post(url, '{}')).toBe(500);
    });
    expect(exit).toBe(130);
    const line = /^✗ .*Z {2}not saved, answered with 500: ENOENT \(no such file/;
    expect(told).toStrictEqual([
      expect.stringMatching(line),
      expect.stringMatching(line),
      `2 callbacks, 0 refused, 2 not read or not saved, 0 saved in ${callbacks}`,
    ]);
  });

  test('leaves no part of a body that can not be written whole', () => {
    const callbacks = join(folder, 'parts');
    const save = openFolder(callbacks);
    expect(() => save(new Date(0), 'deposit', Symbol('no bytes') as never)).toThrow(TypeError);
    expect(readdirSync(callbacks)).toStrictEqual([]);
  });

  test('names a folder that can not be written, and starts nothing', async () => {
    const file = write('file', '');
    for (const [path, reason] of [
      [file, 'ENOTDIR'],
      [join(folder, 'missing', 'callbacks'), 'ENOENT'],
      ['/proc', 'ENOENT'],
    ] as const) {
      const { exit, out, err } = await command(['listen', '--save', path]);
      expect({ exit, out }).toStrictEqual({ exit: 2, out: '' });
      const rule = '--save: expected a writable folder, received';
      expect(err).toMatch(
        new RegExp(`^payment-notifications: ${rule} ${path}: ${reason} \\(.*\n$`),
      );
    }
  });
});

test('answers with --status, on --host', async () => {
  const { told } = await listening(['--status', '503', '--host', '::1'], async (url) => {
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/\w{32}$/);
    expect(await post(url, depositReceivedBody())).toBe(503);
    expect(await post(url, '{}')).toBe(400);
  });
  expect(told.at(-1)).toBe('2 callbacks, 1 refused');
});

test('fits a narrow terminal, with the time alone', async () => {
  const { told } = await listening([], (url) => post(url, withdrawalBroadcastBody()), {
    columns: 60,
  });
  expect(told.join('\n')).toBe(`port, and keep the path. Ctrl-C ends it.
✓ 14:34:20Z
  withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44
  :COMPLETED  Withdrawal payout-7731 completed: 480.73 XRP
  to rExampleXrpAddress111111111111111 with the tag 48291.
1 callback, 0 refused`);
});

test('nothing waits to be tried again', async () => {
  const { list, read, remove } = createInbox(() => true);
  expect([await list(), await read('x'), await remove('x')]).toStrictEqual([[], null, undefined]);
});

test('a used port is told in one line', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { exit, out, err } = await command(['listen', '--port', `${port}`]);
  server.close();
  expect({ exit, out }).toStrictEqual({ exit: 2, out: '' });
  expect(err).toBe(
    `payment-notifications: --port: expected a free port, received ${port}, which is in use. Choose another one\n`,
  );
  const other = await command(['listen', '--host', '192.0.2.1']);
  expect(other.exit).toBe(2);
  expect(other.err).toMatch(
    /^payment-notifications: listen: expected an address of this machine.* EADDRNOTAVAIL \(.*\n$/,
  );
});

describe('a body that does not come to its end', () => {
  /** Sends the start of a body, and resolves when it was read. */
  async function begin(url: string): Promise<net.Socket> {
    const { port, pathname } = new URL(url);
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n`);
    socket.write('content-length: 9\r\n\r\n');
    // The server says so when it has begun to read.
    await once(socket, 'data');
    await new Promise<void>((resolve) => socket.write('{', () => resolve()));
    return socket;
  }

  test.each(['the sender has left', 'of Ctrl-C'])('because %s is counted', async (cause) => {
    let closed: Promise<unknown> = Promise.resolve();
    const { told, exit } = await listening([], async (url, stop) => {
      const socket = await begin(url);
      // Not once(), which rejects for an error of the connection.
      closed = new Promise((resolve) => socket.once('close', resolve));
      if (cause === 'of Ctrl-C') return stop();
      socket.resetAndDestroy();
      await closed;
    });
    await closed;
    expect(exit).toBe(130);
    expect(told).toStrictEqual([
      `✗ ${TIME}  not read: aborted`,
      '1 callback, 0 refused, 1 not read or not saved',
    ]);
  });
});

test('ends at once if it is interrupted before it begins', async () => {
  const { exit, out } = await command(['listen', '--port=0'], { interrupt: AbortSignal.abort() });
  expect(exit).toBe(130);
  expect(out).toMatch(/\n0 callbacks, 0 refused\n$/);
});
