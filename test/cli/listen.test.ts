import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  depositReceivedBody,
  faultyBodies,
  virtualClock,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { command, linesOf, temporaryFolder } from './terminal.js';

const { folder, write } = temporaryFolder();
const START = Date.parse('2026-09-21T14:34:20.000Z');
const TIME = '2026-09-21T14:34:20.000Z';

/** Runs `listen` on a free port, until `act` has ended. */
async function listening(args: string[], act: (url: string) => Promise<unknown>) {
  const controller = new AbortController();
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
  const given = { print, interrupt: controller.signal, clock: virtualClock(START) };
  const ended = command(['listen', '--port', '0', ...args], given);
  await act(await started);
  controller.abort();
  const { exit, err } = await ended;
  return { exit, err, told: linesOf(told.join('')).slice(1) };
}

const post = async (url: string, body: string | Uint8Array) =>
  (await fetch(url, { method: 'POST', body: new Uint8Array(Buffer.from(body)) })).status;

const KEY = 'deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11';
const WITHDRAWAL = 'withdrawal.broadcast:3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44';

test('prints each callback in one line, and answers', async () => {
  const statuses: number[] = [];
  const bodies = [
    depositReceivedBody({ depositCurrency: 'B\u202eTC' }),
    depositReceivedBody({ actualDepositAmount: '0.123456789012345678', rateType: 'X' as never }),
    withdrawalBroadcastBody(),
    withdrawalBroadcastBody({ status: 'FAILED' }),
    withdrawalBroadcastBody({ actualWithdrawAmount: null, txAddressOwner: undefined }),
    depositReceivedBody({ status: 'NEW' as never }),
    depositReceivedBody().padEnd(65_537),
  ];
  const { exit, err, told } = await listening([], async (url) => {
    for (const body of bodies) statuses.push(await post(`${url}a/b?c`, body));
  });
  expect({ exit, err, statuses }).toStrictEqual({
    exit: 130,
    err: '',
    statuses: [200, 200, 200, 200, 200, 400, 413],
  });
  expect(told).toStrictEqual([
    `✓ ${TIME}  deposit  ${KEY}  0.01523 B\\u202eTC`,
    `✓ ${TIME}  deposit  ${KEY}  0.123456789012345678 BTC  1 warning`,
    `✓ ${TIME}  withdrawal  ${WITHDRAWAL}:COMPLETED  480.73 XRP`,
    `✓ ${TIME}  withdrawal  ${WITHDRAWAL}:FAILED  FAILED`,
    `✓ ${TIME}  withdrawal  ${WITHDRAWAL}:COMPLETED  COMPLETED  1 warning`,
    `✗ ${TIME}  refused  unknown_value  status: expected "CONFIRMED", received "NEW"  POST /a/b?c`,
    `✗ ${TIME}  refused  body_too_large  body: expected at most 65536 bytes, received 65537 bytes  POST /a/b?c`,
    '7 callbacks',
  ]);
});

test('with --save keeps each body unchanged, in a file of its own that the other commands read', async () => {
  const callbacks = join(folder, 'new', 'callbacks');
  const valid = [depositReceivedBody(), depositReceivedBody(), withdrawalBroadcastBody()];
  const faulty = faultyBodies().filter(({ code }) => code !== 'body_too_large');
  const bodies = [...valid, ...faulty.map(({ body }) => body)].map((body) => Buffer.from(body));
  const { exit, told } = await listening(['--save', callbacks], (url) =>
    Promise.all([...bodies.map((body) => post(url, body)), fetch(url)]),
  );
  expect(exit).toBe(130);
  const files = readdirSync(callbacks).map((name) => join(callbacks, name));
  const found = files.map((file) => readFileSync(file));
  const kept = bodies.filter(({ length }) => length > 0);
  expect(found.sort(Buffer.compare)).toStrictEqual(kept.sort(Buffer.compare));
  for (const file of files) {
    expect(file).toMatch(/\/2026-09-21T14-34-20\.000Z-(deposit|withdrawal|refused)(-\d+)?\.json$/);
    expect(told.filter((line) => line.endsWith(`→ ${file}`))).toHaveLength(1);
  }
  expect(told.filter((line) => line.endsWith('  GET /'))).toHaveLength(1);
  expect(told.at(-1)).toBe(`${bodies.length + 1} callbacks, ${kept.length} saved in ${callbacks}`);
  const inspected = await command(['inspect', ...files]);
  expect(inspected.out.match(/^✓/gm)).toHaveLength(valid.length);
  const checked = JSON.parse((await command(['check', '--json', ...files])).out);
  expect(checked.counts).toMatchObject({ lines: kept.length, valid: valid.length });
});

test('answers with --status', async () => {
  const { told } = await listening(['--status', '503', '--host', '::1'], async (url) => {
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/$/);
    expect(await post(url, depositReceivedBody())).toBe(503);
  });
  expect(told.at(-1)).toBe('1 callback');
});

test('says when a sender leaves in the middle of a body', async () => {
  const { told } = await listening([], async (url) => {
    const { port } = new URL(url);
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{', () =>
      socket.resetAndDestroy(),
    );
    await post(url, '{}');
    while (socket.readyState !== 'closed') await post(url, '{}');
    await post(url, '{}');
  });
  expect(told).toContainEqual(`✗ ${TIME}  not read  aborted  POST /`);
});

test('a used port and a folder that can not be written are told in one line', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await command(['listen', '--port', `${port}`])).toStrictEqual({
    exit: 2,
    out: '',
    err: `payment-notifications: listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
  });
  server.close();
  const file = write('file', '');
  const { exit, err } = await command(['listen', '--save', join(file, 'callbacks')]);
  expect(exit).toBe(2);
  expect(err).toMatch(/^payment-notifications: --save: .*ENOTDIR.*\n$/);
});

test('answers 500 while a body can not be saved, so that it is repeated', async () => {
  const callbacks = join(folder, 'gone');
  const { told } = await listening(['--save', callbacks], async (url) => {
    rmSync(callbacks, { recursive: true });
    expect(await post(url, depositReceivedBody())).toBe(500);
    mkdirSync(callbacks);
    expect(await post(url, depositReceivedBody())).toBe(200);
  });
  expect(told).toStrictEqual([
    expect.stringMatching(/^✗ .*Z {2}not saved {2}ENOENT.* {2}POST \/$/),
    expect.stringMatching(/^✓ /),
    `2 callbacks, 1 saved in ${callbacks}`,
  ]);
});

test('is over at once if it is interrupted before it begins', async () => {
  const { exit, out } = await command(['listen', '--port=0'], { interrupt: AbortSignal.abort() });
  expect({ exit, out }).toStrictEqual({ exit: 130, out: expect.stringMatching(/0 callbacks\n$/) });
});
