import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { depositReceivedBody } from 'payment-notifications/testing';
import { describe, expect, test, vi } from 'vitest';
import {
  bytes,
  DEPOSIT,
  FAILED,
  held,
  listen,
  OK,
  open,
  PASSED_ON,
  post,
  SECRET,
  serve,
} from './options.js';

/** As long as the receiver reads on. */
const LARGE = DEPOSIT.padEnd(4 * 1024 * 1024);
/** What a server may have read of a body that never ends: the limit, 4 MiB, and its own buffers. */
const MOST = 5 * 1024 * 1024;
const TOO_LARGE = ['refused', expect.stringContaining('at most 65536 bytes'), null];

/** For what has no answer to wait for. */
const PATIENCE = { timeout: 60_000 };

/** What a server sends to somebody who writes this. */
async function exchange(port: number, ...parts: (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for (const part of parts) socket.write(part);
  return text(socket);
}

const head = (...headers: string[]) =>
  ['POST / HTTP/1.1', 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');
const lengthOf = (body: string) => `Content-Length: ${bytes(body).length}`;
const chunkOf = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;

describe('a connection', () => {
  test.each(['GET', 'HEAD', 'PATCH'])('brings the body of a %s', async (method) => {
    const { receiver, calls } = open();
    const start = head('Connection: close', 'Content-Encoding: gzip', lengthOf(DEPOSIT));
    const port = await serve(receiver.node);
    const received = await exchange(port, start.replace('POST', method) + DEPOSIT);
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*content-type: text\/plain; charset=utf-8\r\n/);
    expect(calls).toStrictEqual([PASSED_ON]);
  });

  test('brings chunks, and requests one behind the other', async () => {
    const { receiver, calls } = open();
    const chunked = `${head('Transfer-Encoding: chunked') + [...DEPOSIT].map(chunkOf).join('')}0\r\n\r\n`;
    const last = head('Connection: close', lengthOf(DEPOSIT)) + DEPOSIT;
    const received = await exchange(await serve(receiver.node), chunked, chunked + last);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toStrictEqual(Array(3).fill('HTTP/1.1 200'));
    expect(calls).toStrictEqual([PASSED_ON, PASSED_ON, PASSED_ON]);
  });

  test('brings the next request after a body that is too long', async () => {
    const { receiver, calls } = open();
    const socket = connect(await serve(receiver.node), '127.0.0.1');
    socket.write(head(lengthOf(LARGE)) + LARGE.slice(0, 65_537));
    const [answer] = await once(socket, 'data'); // before its end
    expect(`${answer}`).toMatch(/^HTTP\/1\.1 413 /);
    socket.write(LARGE.slice(65_537));
    socket.write(head('Connection: close', lengthOf(DEPOSIT)) + DEPOSIT);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(calls).toStrictEqual([TOO_LARGE, PASSED_ON]);
  });

  test.each([
    ['of the service, 4 MiB after its answer', null, 413, [TOO_LARGE]],
    ['of a stranger', SECRET, 404, []],
  ])('is ended if a body never ends: %s', async (_, secret, status, expected) => {
    const { receiver, calls } = open({ secret, ...(secret && { log() {} }) });
    const server = createServer({ keepAliveTimeout: 0 }, receiver.node);
    const socket = connect(await listen(server), '127.0.0.1').on('error', () => {}); // it is reset
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const [connection] = await once(server, 'connection');
    socket.write(head('Content-Length: 1000000000000') + LARGE.slice(0, 65_537));
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
    new Promise<void>((resolve) => request.on('close', resolve));
  test.each<[what: string, prepare: (request: IncomingMessage) => Promise<void> | undefined]>([
    ['reads', () => undefined],
    ['is called', closed],
    [
      'is called, after middleware has read',
      (request) => closed(request.on('error', () => {}).resume()),
    ],
  ])('that its sender leaves before the receiver %s is reported', async (_, prepare) => {
    const { receiver, calls } = open();
    const server = createServer(async (request, response) => {
      await prepare(request);
      receiver.node(request, response);
    });
    const socket = connect(await listen(server), '127.0.0.1');
    socket.write(head('Content-Length: 1000') + DEPOSIT.slice(0, 10));
    await once(server, 'request');
    socket.destroy();
    await expect.poll(() => calls, PATIENCE).not.toStrictEqual([]);
    expect(calls).toStrictEqual([['failed', expect.stringMatching(/aborted|premature/i), null]]);
  });
});

/** Middleware above the receiver. It returns what it sets on the request. */
type Middleware = (request: IncomingMessage) => object | Promise<object>;

const asBody = (encoding: BufferEncoding) => async (request: IncomingMessage) => ({
  body: (await buffer(request)).toString(encoding),
});
const parsed = (body: unknown) => async (request: IncomingMessage) => {
  await buffer(request);
  return { body };
};
const encoded = (encoding: BufferEncoding) => (request: IncomingMessage) => {
  request.setEncoding(encoding);
  return {};
};
const raw = 'body: expected raw bytes, received';
const PARSED = `${raw} a body that middleware has parsed. Mount the receiver above body parsers such as express.json()`;
const decoded = (charset: string) =>
  `${raw} text that middleware has decoded from "${charset}". Mount the receiver above body parsers such as express.text()`;
const inEncoding = (encoding: string) =>
  `${raw} text in the encoding "${encoding}". Remove request.setEncoding() from the middleware above the receiver`;

test.each<[what: string, middleware: Middleware, label: string, error: string | null]>([
  // As express.json does with other content types.
  ['sets a body without reading', () => ({ body: {} }), '', null],
  ['keeps bytes as body', async (request) => ({ body: await buffer(request) }), '', null],
  [
    'keeps bytes as rawBody',
    async (request) => ({ body: {}, rawBody: await buffer(request) }),
    'text/plain; charset=latin1',
    null,
  ],
  [
    'keeps text as rawBody',
    async (request) => ({ body: {}, rawBody: await text(request) }),
    '',
    null,
  ],
  ['keeps text as body', asBody('utf8'), 'text/plain', null],
  ['decodes by an empty label', asBody('utf8'), 'text/plain; charset=', null],
  ['decodes by a label', asBody('utf8'), 'text/plain; charset=utf8', null],
  ['decodes by a label in quotes', asBody('utf8'), 'application/json; Charset="UTF-8"', null],
  ['parses to an object', parsed({}), '', PARSED],
  ['parses to nothing', parsed(undefined), '', PARSED],
  ['parses to null', parsed(null), '', PARSED],
  ['decodes latin1', asBody('latin1'), 'text/plain; charset=latin1', decoded('latin1')],
  [
    'decodes latin1 in quotes',
    asBody('latin1'),
    'application/json;charset="ISO-8859-1"; a=b',
    decoded('ISO-8859-1'),
  ],
  ['decodes another', asBody('latin1'), 'text/plain; charset = utf-16le', decoded('utf-16le')],
  ['decodes x-utf-8', asBody('latin1'), 'text/plain; charset=x-utf-8', decoded('x-utf-8')],
  ['decodes utf-80', asBody('latin1'), 'text/plain; charset=utf-80', decoded('utf-80')],
  [
    'collects text in an encoding',
    async (request) => ({ rawBody: (await request.setEncoding('latin1').toArray()).join('') }),
    '',
    inEncoding('latin1'),
  ],
  ['sets utf8', encoded('utf8'), '', null],
  ['sets utf-8', encoded('utf-8'), '', null],
  ...(['latin1', 'ascii', 'utf16le', 'hex', 'base64'] as const).map(
    (encoding): [string, Middleware, string, string] => [
      ...([`sets ${encoding}`, encoded(encoding), '', inEncoding(encoding)] as const),
    ],
  ),
])('middleware %s', async (_, middleware, label, error) => {
  const { receiver, calls, saved } = open();
  const port = await serve(async (request, response) => {
    receiver.node(Object.assign(request, await middleware(request)), response);
  });
  // Wrongly decoded, é is another account. The others differ from U+FFFD in one byte.
  const body = depositReceivedBody({ clientPaymentId: 'é-\ufffc-\uff7d-\ucffd' });
  const headers = { 'content-type': label };
  expect(await post(port, body, { headers })).toStrictEqual(error === null ? OK : FAILED);
  const passedOn = ['deposit', expect.any(String), bytes(body)];
  expect(calls).toStrictEqual([error === null ? passedOn : ['failed', error, null]]);
  expect(saved()).toStrictEqual([]);
});

test.each<[what: string, middleware: Middleware]>([
  ['collects as text', async (request) => ({ rawBody: (await buffer(request)).toString() })],
  ['sets an encoding', encoded('utf8')],
])('text that may have lost bytes is for review, if middleware %s', async (_, middleware) => {
  const { receiver, saved } = open();
  const port = await serve(async (request, response) => {
    receiver.node(Object.assign(request, await middleware(request)), response);
  });
  const body = Buffer.from(depositReceivedBody({ clientPaymentId: 'café-1' }), 'latin1');
  expect(await post(port, body)).toStrictEqual({ status: 400, text: 'invalid_json' });
  const reason = expect.stringContaining('received text with U+FFFD');
  expect(saved()).toStrictEqual([['review', reason, null, bytes(body.toString())]]);
});

test('a character of two chunks is whole, in an encoding that middleware has set', async () => {
  const { receiver, calls } = open();
  const port = await serve((request, response) =>
    receiver.node(request.setEncoding('utf8'), response),
  );
  const sent = bytes(depositReceivedBody({ clientPaymentId: 'ü' }));
  const half = sent.indexOf(0xc3) + 1;
  const socket = connect(port, '127.0.0.1');
  socket.write(head('Connection: close', `Content-Length: ${sent.length}`));
  socket.write(sent.subarray(0, half));
  setImmediate(() => socket.write(sent.subarray(half)));
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  expect(calls[0]?.at(-1)).toStrictEqual(sent);
});

describe('a rawBody that middleware still collects', () => {
  const [first, rest] = [DEPOSIT.slice(0, 100), DEPOSIT.slice(100)];

  /** Calls the receiver once a part of the body is there. */
  async function collect(kind: 'text' | 'bytes', start: string) {
    const { receiver, calls } = open();
    const isCalled = held();
    const port = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('error', () => {})
        .on('data', (chunk) => {
          chunks.push(chunk);
          const all = Buffer.concat(chunks);
          Object.assign(request, { rawBody: kind === 'text' ? `${all}` : all });
        });
      await once(request, 'data'); // such as a query for the user
      receiver.node(request, response);
      isCalled.run();
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(start);
    await isCalled.called;
    return { socket, calls };
  }

  describe.each([
    ['of a length', lengthOf(DEPOSIT), first, rest],
    ['in chunks', 'Transfer-Encoding: chunked', chunkOf(first), `${chunkOf(rest)}0\r\n\r\n`],
  ])('%s', (_, framing, start, end) => {
    test.each(['text', 'bytes'] as const)('is awaited: %s', async (kind) => {
      const { socket, calls } = await collect(kind, head('Connection: close', framing) + start);
      socket.write(end);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
      expect(calls).toStrictEqual([PASSED_ON]);
    });
  });

  test('is reported if its sender leaves', async () => {
    const { socket, calls } = await collect('text', head(lengthOf(DEPOSIT)) + first);
    socket.destroy();
    await expect.poll(() => calls, PATIENCE).not.toStrictEqual([]);
    const error = 'body: expected a whole body, received an aborted request';
    expect(calls).toStrictEqual([['failed', error, null]]);
  });
});

describe('a response of which other middleware', () => {
  test.each([
    ['503, although the receiver answers 200', 503, DEPOSIT],
    ['200, although the receiver answers 400', 200, '{'],
  ])('has sent an answer with %s is left alone', async (_, status, body) => {
    const server = createServer();
    const posted = post(await listen(server), body);
    const [request, response] = await once(server, 'request');
    response.writeHead(status).end('by middleware');
    const [end, destroy] = [vi.spyOn(response, 'end'), vi.spyOn(response, 'destroy')];
    const { receiver, calls } = open();
    await receiver.node(request, response);
    expect([end, destroy].map((spy) => spy.mock.calls)).toStrictEqual([[], []]);
    expect(await posted).toStrictEqual({ status, text: 'by middleware' });
    expect(calls).toHaveLength(1);
  });

  test.each([
    ['200', 200, DEPOSIT],
    ['503, although the receiver answers 200', 503, DEPOSIT],
    ['400, and the receiver answers 400', 400, '{'],
    ['503, and the receiver answers 400', 503, '{'],
  ])('has sent the headers with %s is ended', async (_, status, body) => {
    const port = await serve((request, response) => {
      response.writeHead(status).flushHeaders();
      open().receiver.node(request, response);
    });
    expect(await post(port, body)).toStrictEqual({ status, text: '' });
  });

  test('has sent a success that the receiver would not is cut off', async () => {
    const port = await serve((request, response) => {
      response.flushHeaders();
      open().receiver.node(request, response);
    });
    const received = await exchange(port, `${head('Content-Length: 1', 'Connection: close')}{`);
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).not.toContain('\r\n0\r\n'); // the end of its chunks
    await expect(post(port, '{')).rejects.toThrow('terminated');
  });

  const setHeader = () => {
    throw new Error('of some middleware');
  };
  const UNSENT = ['failed', 'no answer was sent: of some middleware', null];

  test('has replaced a method by one that throws ends the connection', async () => {
    const { receiver, calls } = open();
    const port = await serve((request, response) =>
      receiver.node(request, Object.assign(response, { setHeader })),
    );
    await expect(post(port, DEPOSIT)).rejects.toThrow('fetch failed');
    expect(calls).toStrictEqual([PASSED_ON, UNSENT]);
  });

  test('has replaced several methods is reported with the first error', async () => {
    const { receiver, calls } = open();
    await receiver.node({} as never, { setHeader, destroy: null } as never);
    expect(calls.at(-1)).toStrictEqual(UNSENT);
  });
});

test('mounted in Hono or Next.js, node answers 500 and says where it belongs', async () => {
  const { receiver, calls } = open();
  const request = new Request('https://merchant.example/', { method: 'POST', body: DEPOSIT });
  const node = receiver.node as unknown as typeof receiver.fetch;
  const response = await node(request);
  expect([response.status, await response.text()]).toStrictEqual([500, 'failed']);
  const message = /^node: expected a request of Node\.js.* use receiver\.fetch$/;
  expect(calls).toStrictEqual([['failed', expect.stringMatching(message), null]]);
});

test('without a request or a response, node reports it', async () => {
  const { receiver, calls } = open();
  const port = await serve((_, response) => receiver.node(null as never, response));
  expect(await post(port, DEPOSIT)).toStrictEqual(FAILED);
  expect(calls).toStrictEqual([['failed', expect.stringContaining('originalUrl'), null]]);
  await receiver.node({} as never, null as never);
  const message = expect.stringMatching(/^no answer was sent: Cannot read/);
  expect(calls.at(-1)).toStrictEqual(['failed', message, null]);
});
