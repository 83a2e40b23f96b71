// The check of the page about going live, with real requests, straight and through proxies.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { after, test } from 'node:test';
import { isFromService } from '../../examples/start/from-service.mjs';

const SECRET = '7d1f0c93a1b24e6f';
/** @type {import('node:http').Server[]} */
const servers = [];
after(() => {
  for (const server of servers) server.close();
});

/** @param {import('node:http').RequestListener} listener */
async function listen(listener) {
  const server = createServer(listener);
  servers.push(server);
  // Both families, as most servers do: an IPv4 address comes as ::ffff:127.0.0.1.
  await new Promise((listening) => server.listen(0, '::', () => listening(null)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** A proxy that appends the address of its caller. @param {number} target */
const proxyTo = (target) =>
  listen((incoming, response) => {
    const caller = incoming.socket.remoteAddress?.replace('::ffff:', '');
    const before = incoming.headers['x-forwarded-for'];
    const forwarded = before === undefined ? `${caller}` : `${before}, ${caller}`;
    const headers = { 'x-forwarded-for': forwarded };
    const outgoing = { port: target, host: '127.0.0.1', path: incoming.url ?? '', headers };
    request(outgoing, ({ statusCode = 0 }) => response.writeHead(statusCode).end()).end();
  });

/** @param {Omit<Parameters<typeof isFromService>[1], 'secret'>} expected */
const endpoint = (expected) =>
  listen((incoming, response) => {
    const isKnown = isFromService(incoming, { secret: SECRET, ...expected });
    response.writeHead(isKnown ? 200 : 404).end();
  });

/**
 * @param {number} port
 * @param {{ path?: string, from?: string, forwarded?: string }} [options]
 * @returns {Promise<number | undefined>}
 */
function call(port, { path = `/callbacks/${SECRET}`, from = '127.0.0.1', forwarded } = {}) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', localAddress: from, path, headers }, ({ statusCode }) =>
      resolve(statusCode),
    )
      .on('error', reject)
      .end();
  });
}

test('only the secret path passes', async () => {
  const port = await endpoint({});
  assert.equal(await call(port), 200);
  for (const path of [`/callbacks/${SECRET}?a=/b`, `/callbacks/${SECRET}/`])
    assert.equal(await call(port, { path }), 200, path);
  for (const path of [
    '/',
    '/callbacks/',
    '/callbacks//',
    `/callbacks/${SECRET}0`,
    '/callbacks/7d1f0c93a1b24e60',
    '/é',
  ]) {
    assert.equal(await call(port, { path: encodeURI(path) }), 404, path);
  }
});

test('a secret that is empty or can be guessed is an error', () => {
  const incoming = /** @type {import('node:http').IncomingMessage} */ ({
    url: '/callbacks/',
    socket: {},
  });
  for (const secret of ['', 'short']) {
    assert.throws(() => isFromService(incoming, { secret }), TypeError);
  }
});

test('settings that say something else than was meant are an error, whatever the path', () => {
  const incoming = /** @type {import('node:http').IncomingMessage} */ (
    /** @type {unknown} */ ({ url: '/', headers: {}, socket: {} })
  );
  const check = (/** @type {object} */ expected) =>
    isFromService(incoming, { secret: SECRET, addresses: ['127.0.0.2'], ...expected });
  assert.equal(check({ proxies: 1 }), false);
  for (const proxies of [-1, 0.5, Number.NaN, '1', null, true])
    assert.throws(() => check({ proxies }), TypeError, `${proxies}`);
  for (const address of [
    ...['', 'localhost', '127.0.0', '127.0.0.256', '127.0.0.2:80', '[::1]', '*'],
    ...['127.0.0.0/', '127.0.0.0/a', '127.0.0.0/8/8', '127.0.0.0/33', '127.0.0.0/-1', '::/129'],
    ...['127.0.0.0/ 8', '127.0.0.0/0x8', ' 127.0.0.2'],
  ])
    assert.throws(() => check({ addresses: ['127.0.0.2', address] }), address);
  assert.throws(() => check({ addresses: '127.0.0.2' }), TypeError);
});

test('only listed addresses pass, and no header replaces one', async () => {
  const port = await endpoint({ addresses: ['127.0.0.8/30', '127.0.0.2', '::2'] });
  assert.equal(await call(port, { from: '127.0.0.2' }), 200);
  assert.equal(await call(port, { from: '127.0.0.11' }), 200);
  assert.equal(await call(port, { from: '127.0.0.12' }), 404);
  assert.equal(await call(port, { from: '127.0.0.1', forwarded: '127.0.0.2' }), 404);
});

test('behind proxies the client counts, not what it claims to be', async () => {
  const one = await endpoint({ addresses: ['127.0.0.2', '::2'], proxies: 1 });
  const proxy = await proxyTo(one);
  assert.equal(await call(proxy, { from: '127.0.0.2' }), 200);
  assert.equal(await call(proxy, { from: '127.0.0.3', forwarded: '127.0.0.2' }), 404);
  // Some proxies append the port, too.
  for (const forwarded of ['127.0.0.2:4711', '[::2]:4711', '[::2]', '::2'])
    assert.equal(await call(one, { forwarded }), 200, forwarded);
  for (const forwarded of [
    '127.0.0.3:4711',
    '[::3]:4711',
    '127.0.0.2:',
    ':4711',
    '127.0.0.2:a',
    '',
  ])
    assert.equal(await call(one, { forwarded }), 404, forwarded);
  // Past the proxy, there is no such entry.
  assert.equal(await call(one, { from: '127.0.0.2' }), 404);
  assert.equal(await call(one, { from: '127.0.0.2', forwarded: 'unknown' }), 404);

  const two = await proxyTo(
    await proxyTo(await endpoint({ addresses: ['127.0.0.2'], proxies: 2 })),
  );
  assert.equal(await call(two, { from: '127.0.0.2' }), 200);
  assert.equal(await call(two, { from: '127.0.0.3', forwarded: '127.0.0.2' }), 404);
});

test('a web standard Request is checked alike, with the address that the platform names', () => {
  /** @param {string} url @param {object} expected @param {string} [forwarded] */
  const check = (url, expected, forwarded) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const from = new Request(`https://merchant.example${url}`, { headers });
    return isFromService(from, { secret: SECRET, ...expected });
  };
  const path = `/callbacks/${SECRET}`;
  assert.equal(check(path, {}), true);
  assert.equal(check(`${path}/?a=/b`, {}), true);
  assert.equal(check(`/callbacks/?${SECRET}`, {}), false);
  const addresses = ['127.0.0.2'];
  assert.throws(() => check('/', { addresses }), /caller/);
  assert.equal(check(path, { addresses, caller: '127.0.0.2' }), true);
  assert.equal(check(path, { addresses, caller: '127.0.0.3' }, '127.0.0.2'), false);
  assert.equal(check(path, { addresses, proxies: 1 }, '127.0.0.3, 127.0.0.2'), true);
  assert.equal(check(path, { addresses, proxies: 1 }, '127.0.0.2, 127.0.0.3'), false);
  assert.equal(check(path, { addresses, proxies: 1 }), false);
});
