import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { depositReceivedBody } from 'payment-notifications/testing';
import { describe, expect, test, vi } from 'vitest';
import {
  answerOf,
  bytes,
  DEPOSIT,
  FAILED,
  held,
  LIMIT,
  listen,
  OK,
  type OwnOptions,
  open,
  PASSED_ON,
  post,
  SECRET,
  serve,
  settleDown,
  until,
} from './setup.js';

/** Middleware above the receiver. It returns what it sets on the request. */
type Middleware = (request: IncomingMessage) => object | undefined | Promise<object | undefined>;

/** A receiver on a port, and a connection to it. */
async function mount(middleware: Middleware = () => undefined, own?: OwnOptions) {
  const opened = open(own);
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    opened.receiver.node(Object.assign(request, await middleware(request)), response);
  });
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1').on('error', () => {}); // it may be reset
  return { ...opened, port, server, socket };
}

const head = (...headers: string[]) =>
  ['POST / HTTP/1.1', 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');
const CLOSE = 'Connection: close';
const LENGTH = `Content-Length: ${bytes(DEPOSIT).length}`;

describe('a connection', () => {
  /** What a server may have read of a body that never ends: all limits, and its own buffers. */
  const MOST = 5 * 1024 * 1024;
  const TOO_LARGE = ['refused', expect.stringContaining('at most 65536 bytes'), null];

  test('brings the body of a GET, whatever its headers say', async () => {
    const { socket, calls } = await mount();
    const start = head(CLOSE, 'Content-Encoding: gzip', LENGTH).replace('POST', 'GET');
    socket.write(start + DEPOSIT);
    expect(await text(socket)).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*content-type: text\/plain; charset=utf-8\r\n/,
    );
    expect(calls).toStrictEqual([PASSED_ON]);
  });

  test.each([
    ['of the service', {}, 413, [TOO_LARGE]],
    ['of a stranger', { secret: SECRET, log() {} }, 404, []],
  ])('is ended if a body never ends: %s', async (_, own, status, expected) => {
    const { socket, server, calls } = await mount(undefined, own);
    const [connection] = await once(server, 'connection');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(head('Content-Length: 1000000000000') + ' '.repeat(LIMIT + 1));
    const [answer] = await once(socket, 'data');
    expect(`${answer}`).toMatch(`HTTP/1.1 ${status} `);
    const block = Buffer.alloc(1_000_000);
    const writeOn = () =>
      socket.bytesWritten < 10 * MOST
        ? socket.write(block, (error) => error ?? writeOn())
        : socket.destroy();
    writeOn();
    await closed;
    expect(connection.bytesRead).toBeLessThan(MOST);
    expect(calls).toStrictEqual(expected);
  });

  const closed = (request: IncomingMessage) =>
    new Promise<undefined>((resolve) => request.on('close', () => resolve(undefined)));
  const readAndClosed = (request: IncomingMessage) =>
    closed(request.on('error', () => {}).resume());

  test.each<[what: string, middleware: Middleware]>([
    ['reads', () => undefined],
    ['is called', closed],
    ['is called, and others have read', readAndClosed],
  ])('that its sender leaves before the receiver %s is reported', async (_, middleware) => {
    const { socket, server, calls } = await mount(middleware);
    socket.write(head('Content-Length: 1000') + DEPOSIT.slice(0, 10));
    await once(server, 'request');
    socket.destroy();
    await until(() => calls.length > 0);
    expect(calls).toStrictEqual([['failed', expect.stringMatching(/aborted|premature/i), null]]);
  });
});

const reads =
  (keep: (all: Buffer) => object): Middleware =>
  async (request) =>
    keep(await buffer(request));
const decodes = (encoding: BufferEncoding) => reads((all) => ({ body: all.toString(encoding) }));
const sets =
  (encoding: BufferEncoding): Middleware =>
  (request) =>
    void request.setEncoding(encoding);

const collects: Middleware = async (request) => ({
  rawBody: (await request.setEncoding('latin1').toArray()).join(''),
});

const raw = 'body: expected raw bytes, received';
const PARSED = `${raw} a body that middleware has parsed. Mount the receiver above body parsers such as express.json(), or keep the raw body with their option verify`;
const decoded = (charset: string) =>
  `${raw} text that middleware has decoded from "${charset}". Mount the receiver above body parsers such as express.text()`;
const inEncoding = (encoding: string) =>
  `${raw} text in the encoding "${encoding}". Remove request.setEncoding() from the middleware above the receiver`;

test.each<[what: string, middleware: Middleware, type?: string, error?: string]>([
  ['sets a body without reading, as express.json does', () => ({ body: {} })],
  ['keeps bytes as body', reads((body) => ({ body }))],
  ['keeps bytes as rawBody', reads((rawBody) => ({ body: {}, rawBody })), 'a/b; charset=latin1'],
  ['decodes by a label in quotes', decodes('utf8'), 'application/json; Charset="UTF-8"'],
  ['parses to an object', reads(() => ({ body: {} })), '', PARSED],
  ['decodes a', decodes('latin1'), 'a/b;charset="ISO-8859-1"; a=b', decoded('ISO-8859-1')],
  ['decodes x-utf-8', decodes('latin1'), 'text/plain; charset=x-utf-8', decoded('x-utf-8')],
  ['collects text in an encoding', collects, '', inEncoding('latin1')],
  ['sets utf-8', sets('utf-8')],
  ['sets latin1', sets('latin1'), '', inEncoding('latin1')],
])('middleware %s', async (_, middleware, type = '', error = undefined) => {
  const { port, calls } = await mount(middleware);
  // Wrongly decoded, é is another account. The others differ from U+FFFD in one byte.
  const body = depositReceivedBody({ clientPaymentId: 'é-\ufffc-\uff7d-\ucffd' });
  const answer = await post(port, body, { headers: { 'content-type': type } });
  expect(answer).toStrictEqual(error ? FAILED : OK);
  const passedOn = ['deposit', expect.any(String), body];
  expect(calls).toStrictEqual([error ? ['failed', error, null] : passedOn]);
});

describe('a rawBody that middleware still collects', () => {
  const [first, rest] = [DEPOSIT.slice(0, 100), DEPOSIT.slice(100)];

  test('is awaited', async () => {
    const reached = held();
    const { socket, calls } = await mount(async (request) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => {
        chunks.push(chunk);
        Object.assign(request, { rawBody: Buffer.concat(chunks) });
      });
      await once(request, 'data'); // such as a query for the user
      reached.run();
      return undefined;
    });
    socket.write(head(CLOSE, LENGTH) + first);
    await reached.called;
    socket.write(rest);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(calls).toStrictEqual([PASSED_ON]);
  });

  test.each([undefined, new Error('no')])('is reported if its sender leaves: %s', async (error) => {
    const { receiver, calls } = open();
    const request = Object.assign(new Readable({ read() {} }), { url: '/', rawBody: first });
    request.resume().push(first);
    await settleDown();
    const handled = receiver.node(request as never, { headersSent: true, end() {} } as never);
    await settleDown();
    request.destroy(error);
    await handled;
    const aborted = 'body: expected a whole body, received an aborted request';
    expect(calls).toStrictEqual([['failed', aborted, null]]);
  });
});

const setHeader = () => {
  throw new Error('of some middleware');
};
const UNSENT = ['failed', 'no answer was sent: of some middleware', null];
const sends = (status: number) => (response: ServerResponse) =>
  response.writeHead(status).flushHeaders();
const answers200 = (response: ServerResponse) => response.writeHead(200).end('by middleware');
const breaks = (response: ServerResponse) => Object.assign(response, { setHeader });

test.each<[what: string, change: (response: ServerResponse) => unknown, body: string, object]>([
  ['answered 200 to what is refused', answers200, '{', { status: 200, text: 'by middleware' }],
  ['sent 200 for what is settled', sends(200), DEPOSIT, { status: 200, text: '' }],
  ['sent 400 for what is refused', sends(400), '{', { status: 400, text: '' }],
  ['sent 200 for what is refused, which is cut off', sends(200), '{', { message: 'terminated' }],
  ['broken a method, which ends the connection', breaks, DEPOSIT, { message: 'fetch failed' }],
])('a response of which middleware has %s', async (_, change, body, received) => {
  const { receiver, calls } = open();
  let destroy = vi.fn();
  let handled: unknown;
  const port = await serve((request, response) => {
    change(response);
    destroy = vi.spyOn(response, 'destroy');
    handled = receiver.node(request, response);
  });
  expect(await post(port, body).catch((error) => error)).toMatchObject(received);
  await handled;
  expect(destroy).toHaveBeenCalledTimes('message' in received ? 1 : 0);
  expect(calls[0]?.[0]).toBe(body === DEPOSIT ? 'deposit' : 'refused');
  expect(calls.slice(1)).toStrictEqual(change === breaks ? [UNSENT] : []);
});

test('mounted in Hono or Next.js, node answers 500 and says where it belongs', async () => {
  const { receiver, calls } = open();
  const request = new Request('https://merchant.example/', { method: 'POST', body: DEPOSIT });
  const node = receiver.node as unknown as typeof receiver.fetch;
  expect(await answerOf(await node(request))).toStrictEqual(FAILED);
  const message = /^node: expected a request of Node\.js.* use receiver\.fetch$/;
  expect(calls).toStrictEqual([['failed', expect.stringMatching(message), null]]);
});

test('a response that is missing, or that middleware has broken, is reported', async () => {
  const { receiver, calls } = open();
  await receiver.node({} as never, null as never);
  const message = expect.stringMatching(/^no answer was sent: Cannot read/);
  expect(calls.at(-1)).toStrictEqual(['failed', message, null]);
  await receiver.node({} as never, { setHeader, destroy: null } as never);
  expect(calls.at(-1)).toStrictEqual(UNSENT);
});
