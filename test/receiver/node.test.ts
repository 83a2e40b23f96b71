import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import * as http2 from 'node:http2';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { createReceiver } from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { describe, expect, test, vi } from 'vitest';
import { bytes, DEPOSIT, held, listen, recording, serve } from './options.js';

/** As long as the receiver reads on. */
const LARGE = DEPOSIT.padEnd(4 * 1024 * 1024);
/** What a server may have read of a body that never ends: the limit, 4 MiB, and its own buffers. */
const MOST = 5 * 1024 * 1024;
const settled = ['deposit', expect.any(String), expect.any(String), bytes(DEPOSIT)];
const tooLarge = ['refused', expect.stringContaining('at most 65536 bytes'), null];

const NO_BODY = 'This URL receives webhooks of the payment service. Each of them has a body.';

const LOSSY = expect.stringContaining('received text with U+FFFD');

/** For what has no answer to wait for. */
const PATIENCE = { timeout: 60_000 };

const post = async (port: number, body: string, init: RequestInit = {}) => {
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, ...init });
  return [response.status, await response.text()];
};

/** What a server sends to somebody who writes this. */
async function exchange(port: number, ...texts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for (const part of texts) socket.write(part);
  return text(socket);
}

const head = (...headers: string[]) =>
  ['POST / HTTP/1.1', 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');

test('receives a request, whatever its headers say, and answers in plain text', async () => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  const port = await serve(node);
  const headers = { 'content-type': 'text/plain; charset=latin1', 'content-encoding': 'gzip' };
  expect(await post(port, DEPOSIT, { method: 'PATCH', headers })).toStrictEqual([200, 'ok']);
  expect(calls).toStrictEqual([settled]);
  const response = await fetch(`http://127.0.0.1:${port}`);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect([response.status, await response.text()]).toStrictEqual([200, NO_BODY]);
  expect(calls.length).toBe(1);
});

test.each(['GET', 'HEAD'])('receives the body of a %s', async (method) => {
  const { calls, options } = recording();
  const port = await serve(createReceiver(options).node);
  const start = head('Connection: close', `Content-Length: ${DEPOSIT.length}`);
  const received = await exchange(port, start.replace('POST', method) + DEPOSIT);
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
  expect(calls).toStrictEqual([settled]);
});

test('receives chunks, and requests one behind the other', async () => {
  const { calls, options } = recording();
  const port = await serve(createReceiver(options).node);
  const chunks = [...DEPOSIT].map((character) => `1\r\n${character}\r\n`);
  const chunked = `${head('Transfer-Encoding: chunked') + chunks.join('')}0\r\n\r\n`;
  const last = `${head('Connection: close', `Content-Length: ${DEPOSIT.length}`)}${DEPOSIT}`;
  const received = await exchange(port, chunked, chunked + last);
  expect(received.match(/HTTP\/1\.1 \d+/g)).toStrictEqual(Array(3).fill('HTTP/1.1 200'));
  expect(calls).toStrictEqual([settled, settled, settled]);
});

test('answers a body that is too long before its end, and then the next request', async () => {
  const { calls, options } = recording();
  const port = await serve(createReceiver(options).node);
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head(`Content-Length: ${LARGE.length}`)}${LARGE.slice(0, 65_537)}`);
  const [answer] = await once(socket, 'data');
  expect(`${answer}`).toMatch(/^HTTP\/1\.1 413 /);
  socket.write(LARGE.slice(65_537));
  socket.write(`${head('Connection: close', `Content-Length: ${DEPOSIT.length}`)}${DEPOSIT}`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  expect(calls).toStrictEqual([tooLarge, settled]);
});

test('ends the connection of a body that never ends, 4 MiB after its answer', async () => {
  const { calls, options } = recording();
  const server = createServer({ keepAliveTimeout: 0 }, createReceiver(options).node);
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1').on('error', () => {}); // the connection is reset
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const [connection] = await once(server, 'connection');
  socket.write(`${head('Content-Length: 1000000000000')}${LARGE.slice(0, 65_537)}`);
  const [answer] = await once(socket, 'data');
  expect(`${answer}`).toMatch(/^HTTP\/1\.1 413 /);
  const block = Buffer.alloc(1_000_000);
  const writeOn = () =>
    socket.bytesWritten < 10 * MOST
      ? socket.write(block, (error) => error ?? writeOn())
      : socket.destroy();
  writeOn();
  await closed;
  expect(connection.bytesRead).toBeLessThan(MOST);
  expect(calls).toStrictEqual([tooLarge]);
});

test.each([
  ['reads', async () => {}],
  ['is called', (request: IncomingMessage) => new Promise((closed) => request.on('close', closed))],
  [
    'is called, after middleware has read the start',
    async (request: IncomingMessage) => {
      const closed = new Promise((resolve) => request.on('close', resolve));
      request.on('error', () => {}).resume();
      await closed;
    },
  ],
])('reports a sender that leaves before the receiver %s', async (_, until) => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  const server = createServer(async (request, response) => {
    await until(request);
    await node(request, response);
  });
  const socket = connect(await listen(server), '127.0.0.1');
  socket.write(head('Content-Length: 1000') + DEPOSIT.slice(0, 10));
  await once(server, 'request');
  socket.destroy();
  await expect.poll(() => calls, PATIENCE).not.toStrictEqual([]);
  expect(calls).toStrictEqual([['failed', expect.stringMatching(/aborted|premature/i), null]]);
});

test('takes bytes that middleware has read', async () => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  for (const name of ['body', 'rawBody']) {
    const port = await serve(async (request, response) => {
      const kept = { body: {}, [name]: await buffer(request) };
      await node(Object.assign(request, kept), response);
    });
    expect(await post(port, DEPOSIT)).toStrictEqual([200, 'ok']);
  }
  expect(calls).toStrictEqual([settled, settled]);
});

test.each<[what: string, body: unknown]>([
  ['an object', {}],
  ['nothing', undefined],
  ['null', null],
])('reports a body that middleware has parsed, of which it kept %s', async (_, body) => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  const port = await serve(async (request, response) => {
    await buffer(request);
    await node(Object.assign(request, { body }), response);
  });
  expect(await post(port, DEPOSIT)).toStrictEqual([500, 'failed']);
  const error =
    'body: expected raw bytes, received a body that middleware has parsed. Mount the receiver above body parsers such as express.json()';
  expect(calls).toStrictEqual([['failed', error, null]]);
});

test('takes text that middleware has read', async () => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  const body = depositReceivedBody({ clientPaymentId: 'café-1' });
  for (const name of ['body', 'rawBody']) {
    const port = await serve(async (request, response) => {
      node(Object.assign(request, { body: {}, [name]: await text(request) }), response);
    });
    expect(await post(port, body)).toStrictEqual([200, 'ok']);
  }
  const taken = ['deposit', expect.any(String), expect.any(String), bytes(body)];
  expect(calls).toStrictEqual([taken, taken]);
});

test.each([
  ['text/plain; charset=latin1', '"latin1"'],
  ['application/json;charset="ISO-8859-1"; a=b', '"ISO-8859-1"'],
  ['text/plain; charset = utf-16le', '"utf-16le"'],
  ['text/plain; charset=x-utf-8', '"x-utf-8"'],
  ['text/plain; charset=utf-80', '"utf-80"'],
])('reports text that middleware has decoded as its label says: %s', async (label, charset) => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  const port = await serve(async (request, response) => {
    const body = (await buffer(request)).toString('latin1'); // another account
    node(Object.assign(request, { body }), response);
  });
  const body = depositReceivedBody({ clientPaymentId: 'café-1' });
  const headers = { 'content-type': label };
  expect(await post(port, body, { headers })).toStrictEqual([500, 'failed']);
  const error = `body: expected raw bytes, received text that middleware has decoded from ${charset}. Mount the receiver above body parsers such as express.text()`;
  expect(calls).toStrictEqual([['failed', error, null]]);
});

test.each([
  'text/plain',
  'text/plain; charset=',
  'text/plain; charset=utf8',
  'application/json; Charset="UTF-8"',
])('takes text that middleware has decoded from UTF-8: %s', async (label) => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  const port = await serve(async (request, response) => {
    node(Object.assign(request, { body: await text(request) }), response);
  });
  const headers = { 'content-type': label };
  expect(await post(port, DEPOSIT, { headers })).toStrictEqual([200, 'ok']);
  expect(calls).toStrictEqual([settled]);
});

test('refuses text of middleware that may have lost bytes, and saves it as it was decoded', async () => {
  const { saved, options } = recording();
  const { node } = createReceiver(options);
  const port = await serve(async (request, response) => {
    const rawBody = (await buffer(request)).toString(); // the sender's is latin1
    node(Object.assign(request, { rawBody }), response);
  });
  const body = Buffer.from(depositReceivedBody({ clientPaymentId: 'café-1' }), 'latin1');
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
  expect([response.status, await response.text()]).toStrictEqual([400, 'invalid_json']);
  expect(saved()).toStrictEqual([['review', LOSSY, null, bytes(body.toString())]]);
});

test('reads the stream if middleware has set a body without reading it', async () => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  // As express.json does with other content types.
  const port = await serve((request, response) =>
    node(Object.assign(request, { body: {} }), response),
  );
  expect(await post(port, DEPOSIT)).toStrictEqual([200, 'ok']);
  expect(calls).toStrictEqual([settled]);
});

test('closes the connection of a stranger, whose body may never end', async () => {
  const { options } = recording({ secret: 'a-secret-of-the-test', log() {} });
  const server = createServer(createReceiver(options).node);
  const socket = connect(await listen(server), '127.0.0.1').on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const [connection] = await once(server, 'connection');
  socket.write(`${head('Content-Length: 1000000000000')}{`);
  const block = Buffer.alloc(1_000_000);
  const writeOn = () => socket.write(block, (error) => error ?? writeOn());
  writeOn();
  await closed;
  expect(connection.bytesRead).toBeLessThan(MOST);
});

test('reads U+FFFD if the sender has sent it', async () => {
  const { calls, options } = recording();
  const port = await serve(createReceiver(options).node);
  const body = depositReceivedBody({ clientPaymentId: 'caf\ufffd-1' });
  expect(await post(port, body)).toStrictEqual([200, 'ok']);
  expect(calls[0]?.at(-1)).toStrictEqual(bytes(body));
});

const COLLECTED: [kind: 'text' | 'bytes', sent: 'whole' | 'in chunks'][] = [
  ['text', 'whole'],
  ['text', 'in chunks'],
  ['bytes', 'whole'],
  ['bytes', 'in chunks'],
];
test.each(COLLECTED)(
  'waits for all of a rawBody that middleware still collects: %s, %s',
  async (kind, sent) => {
    const { calls, options } = recording();
    const { node } = createReceiver(options);
    const isCalled = held();
    const port = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => {
        chunks.push(chunk);
        const all = Buffer.concat(chunks);
        Object.assign(request, { rawBody: kind === 'text' ? `${all}` : all });
      });
      await once(request, 'data'); // such as a query for the user
      node(request, response);
      isCalled.run();
    });
    const socket = connect(port, '127.0.0.1');
    const [first, rest] = [DEPOSIT.slice(0, 100), DEPOSIT.slice(100)];
    const isChunked = sent === 'in chunks';
    const chunk = (part: string) =>
      isChunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part;
    const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${DEPOSIT.length}`;
    socket.write(head('Connection: close', length) + chunk(first));
    await isCalled.called;
    socket.write(chunk(rest) + (isChunked ? '0\r\n\r\n' : ''));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(calls).toStrictEqual([settled]);
  },
);

test('reports a sender that leaves while middleware collects a rawBody', async () => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  const isCalled = held();
  const port = await serve(async (request, response) => {
    request.on('error', () => {});
    await once(request, 'data');
    node(Object.assign(request, { rawBody: DEPOSIT.slice(0, 100) }), response);
    isCalled.run();
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(head(`Content-Length: ${DEPOSIT.length}`) + DEPOSIT.slice(0, 100));
  await isCalled.called;
  socket.destroy();
  await expect.poll(() => calls, PATIENCE).not.toStrictEqual([]);
  const error = 'body: expected a whole body, received an aborted request';
  expect(calls).toStrictEqual([['failed', error, null]]);
});

describe('a request on which middleware has set an encoding', () => {
  const serveEncoded = (node: RequestListener, encoding: BufferEncoding) =>
    serve((request, response) => node(request.setEncoding(encoding), response));

  test.each(['utf8', 'utf-8'] as const)('is read as text in %s', async (encoding) => {
    const { calls, options } = recording();
    // The others differ from U+FFFD in one byte.
    const body = depositReceivedBody({ clientPaymentId: 'ü-\ufffc-\uff7d-\ucffd' });
    const port = await serveEncoded(createReceiver(options).node, encoding);
    const socket = connect(port, '127.0.0.1');
    const sent = bytes(body);
    const half = sent.indexOf(0xc3) + 1; // in the middle of a character
    socket.write(head('Connection: close', `Content-Length: ${sent.length}`));
    socket.write(sent.subarray(0, half));
    setImmediate(() => socket.write(sent.subarray(half)));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(calls[0]?.at(-1)).toStrictEqual(sent);
  });

  test('is refused if its text may have lost bytes, so that two bodies are not one account', async () => {
    const { saved, options } = recording();
    const port = await serveEncoded(createReceiver(options).node, 'utf8');
    const before = Buffer.from(depositReceivedBody({ clientPaymentId: 'caf_-1' }));
    for (const byte of [0xe8, 0xe9]) {
      const body = Buffer.from(before);
      body[before.indexOf('_')] = byte; // in latin1, "cafè-1" and "café-1"
      const init = { method: 'POST', body };
      const response = await fetch(`http://127.0.0.1:${port}`, init);
      expect([response.status, await response.text()]).toStrictEqual([400, 'invalid_json']);
      expect(saved()).toStrictEqual([['review', LOSSY, null, bytes(body.toString())]]);
    }
  });

  test.each(['latin1', 'ascii', 'utf16le', 'hex', 'base64'] as const)(
    'is answered with 500 and unread if that is %s',
    async (encoding) => {
      const { calls, options } = recording();
      const port = await serveEncoded(createReceiver(options).node, encoding);
      const body = depositReceivedBody({ clientPaymentId: 'café-1' });
      expect(await post(port, body)).toStrictEqual([500, 'failed']);
      const error = `body: expected raw bytes, received text in the encoding "${encoding}". Remove request.setEncoding() from the middleware above the receiver`;
      expect(calls).toStrictEqual([['failed', error, null]]);
    },
  );

  test('is read in HTTP/2 as well', async () => {
    const { calls, options } = recording();
    const { node } = createReceiver(options);
    const port = await listen(
      http2.createServer((request, response) => {
        request.setEncoding(request.url === '/latin1' ? 'latin1' : 'utf8');
        return node(request, response);
      }),
    );
    const client = http2.connect(`http://127.0.0.1:${port}`);
    for (const [path, status] of [
      ['/latin1', 500],
      ['/utf8', 200],
    ]) {
      const sent = client.request({ ':method': 'POST', ':path': path }).end(DEPOSIT);
      const [headers] = await once(sent.resume(), 'response');
      expect(headers[':status']).toBe(status);
    }
    client.close();
    expect(calls.map(([name]) => name)).toStrictEqual(['failed', 'deposit']);
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
    const { calls, options } = recording();
    await createReceiver(options).node(request, response);
    expect([end, destroy].map((spy) => spy.mock.calls)).toStrictEqual([[], []]);
    expect(await posted).toStrictEqual([status, 'by middleware']);
    expect(calls).toHaveLength(1);
  });

  test.each([
    ['200', 200, DEPOSIT],
    ['503, although the receiver answers 200', 503, DEPOSIT],
    ['400, and the receiver answers 400', 400, '{'],
    ['503, and the receiver answers 400', 503, '{'],
  ])('has sent the headers with %s is ended', async (_, status, body) => {
    const { node } = createReceiver(recording().options);
    const port = await serve((request, response) => {
      response.writeHead(status).flushHeaders();
      return node(request, response);
    });
    expect(await post(port, body)).toStrictEqual([status, '']);
  });

  test('has sent a success that the receiver would not is cut off', async () => {
    const { node } = createReceiver(recording().options);
    const port = await serve((request, response) => {
      response.flushHeaders();
      return node(request, response);
    });
    const sent = head('Content-Length: 1', 'Connection: close');
    const received = await exchange(port, `${sent}{`);
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).not.toContain('\r\n0\r\n'); // the end of its chunks
    await expect(post(port, '{')).rejects.toThrow('terminated');
  });

  test('has replaced a method by one that throws ends the connection, and is no rejection', async () => {
    const { calls, options } = recording();
    const { node } = createReceiver(options);
    const error = new Error('of some middleware');
    const server = createServer();
    const port = await listen(server);
    const posted = expect(post(port, DEPOSIT)).rejects.toThrow('fetch failed');
    const [request, response] = await once(server, 'request');
    response.setHeader = () => {
      throw error;
    };
    await node(request, response);
    await posted;
    const unsent = ['failed', 'no answer was sent: of some middleware', null];
    expect(calls).toStrictEqual([settled, unsent]);
  });

  test('has replaced several methods is reported with the first error', async () => {
    const { calls, options } = recording();
    const error = new Error('of some middleware');
    const setHeader = () => {
      throw error;
    };
    await createReceiver(options).node({} as never, { setHeader, destroy: null } as never);
    expect(calls.at(-1)).toStrictEqual(['failed', 'no answer was sent: of some middleware', null]);
  });
});

test('answers 500 if its request is null', async () => {
  const { calls, options } = recording();
  const { node } = createReceiver(options);
  const port = await serve((__, response) => node(null as never, response));
  expect(await post(port, DEPOSIT)).toStrictEqual([500, 'failed']);
  expect(calls).toStrictEqual([['failed', expect.stringContaining('originalUrl'), null]]);
});

describe('mounted in the wrong place, answers 500 and says where it belongs:', () => {
  test('fetch in Express or node:http', async () => {
    const { calls, options } = recording();
    const { fetch } = createReceiver(options);
    const port = await serve(fetch as never);
    expect(await post(port, DEPOSIT)).toStrictEqual([500, 'failed']);
    expect(calls).toStrictEqual([
      ['failed', expect.stringMatching(/^fetch: expected a Request.* mount receiver\.node$/), null],
    ]);
  });

  test('node in Hono or Next.js', async () => {
    const { calls, options } = recording();
    const node = createReceiver(options).node as (request: unknown) => unknown;
    const request = new Request('https://merchant.example/', { method: 'POST', body: DEPOSIT });
    const response = (await node(request)) as Response;
    expect([response.status, await response.text()]).toStrictEqual([500, 'failed']);
    expect(calls).toStrictEqual([
      [
        'failed',
        expect.stringMatching(/^node: expected a request of Node\.js.* use receiver\.fetch$/),
        null,
      ],
    ]);
  });
});

test('logs an error if there is no response', async () => {
  const { calls, options } = recording();
  await createReceiver(options).node({} as never, null as never);
  const message = expect.stringMatching(/^no answer was sent: Cannot read/);
  expect(calls.at(-1)).toStrictEqual(['failed', message, null]);
});

test('receives requests of HTTP/2, and ends one that never ends, but not its connection', async () => {
  const { calls, options } = recording();
  const port = await listen(http2.createServer(createReceiver(options).node));
  const client = http2.connect(`http://127.0.0.1:${port}`);
  const endless = client.request({ ':method': 'POST' });
  let written = 0;
  const writeOn = () => {
    while (endless.write(Buffer.alloc(16_384))) written += 16_384;
  };
  endless.on('drain', writeOn).on('ready', writeOn).resume();
  const [headers] = await once(endless, 'response');
  expect(headers[':status']).toBe(413);
  const other = client.request({ ':method': 'POST' });
  await once(endless, 'close');
  expect(written).toBeLessThan(MOST);
  other.end(DEPOSIT);
  const [next] = await once(other, 'response');
  expect(next[':status']).toBe(200);
  expect(calls).toStrictEqual([tooLarge, settled]);
  client.close();
});

test('survives a sender of HTTP/2 that leaves before it is answered', async () => {
  const server = http2.createServer();
  const client = http2.connect(`http://127.0.0.1:${await listen(server)}`);
  const sent = client
    .request({ ':method': 'POST' })
    .end(DEPOSIT)
    .on('error', () => {});
  const [request, response] = await once(server, 'request');
  const { calls, options } = recording({
    async onDepositReceived() {
      calls.push(['deposit']);
      sent.close(http2.constants.NGHTTP2_CANCEL);
      await once(request, 'close');
    },
  });
  await createReceiver(options).node(request, response);
  expect(calls).toStrictEqual([['deposit']]);
  client.close();
});
