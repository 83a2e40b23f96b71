// The check of docs/security.md, with real requests, direct and through proxies, on Node.js and as adapters make web
// standard requests.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { after, test } from 'node:test';
import { createCheck } from '../../examples/start/from-service.mjs';

/** @typedef {Parameters<typeof createCheck>[0]} Settings */

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

/** Endpoints by what they pass to the check. @type {Record<string, (settings: Partial<Settings>) => Promise<number>>} */
const ENDPOINTS = {
  'a request of Node.js'(settings) {
    const isFromService = createCheck({ secret: SECRET, ...settings });
    return listen((incoming, response) => {
      response.writeHead(isFromService(incoming) ? 200 : 404).end();
    });
  },
  'a web standard request'(settings) {
    const isFromService = createCheck({ secret: SECRET, ...settings });
    return listen((incoming, response) => {
      const headers = /** @type {Record<string, string>} */ (incoming.headers);
      const web = new Request(`http://${incoming.headers.host}${incoming.url}`, { headers });
      response.writeHead(isFromService(web, incoming.socket.remoteAddress) ? 200 : 404).end();
    });
  },
};

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

for (const [form, endpoint] of Object.entries(ENDPOINTS)) {
  test(`${form}: only the secret path passes`, async () => {
    const port = await endpoint({});
    for (const path of ['', '?a=/b', '/', '/?a=/b'])
      assert.equal(await call(port, { path: `/callbacks/${SECRET}${path}` }), 200, path);
    for (const path of [
      ...['/', '/callbacks/', '/callbacks//', '/%C3%A9', `/callbacks/?${SECRET}`],
      ...[`/callbacks/${SECRET}0`, '/callbacks/7d1f0c93a1b24e60', `/${SECRET}/callbacks`],
    ])
      assert.equal(await call(port, { path }), 404, path);
  });

  test(`${form}: only listed addresses pass, and no header replaces one`, async () => {
    const port = await endpoint({ addresses: ['127.0.0.8/30', '127.0.0.2', '::2'] });
    assert.equal(await call(port, { from: '127.0.0.2' }), 200);
    assert.equal(await call(port, { from: '127.0.0.11' }), 200);
    assert.equal(await call(port, { from: '127.0.0.12' }), 404);
    assert.equal(await call(port, { from: '127.0.0.1', forwarded: '127.0.0.2' }), 404);
  });

  test(`${form}: behind proxies the client counts, not what it claims to be`, async () => {
    const one = await endpoint({ addresses: ['127.0.0.2', '::2'], proxies: 1 });
    const proxy = await proxyTo(one);
    assert.equal(await call(proxy, { from: '127.0.0.2' }), 200);
    assert.equal(await call(proxy, { from: '127.0.0.3', forwarded: '127.0.0.2' }), 404);
    // Some proxies append the port as well.
    for (const forwarded of ['127.0.0.2:4711', '[::2]:4711', '[::2]', '::2'])
      assert.equal(await call(one, { forwarded }), 200, forwarded);
    for (const forwarded of [
      ...['127.0.0.3:4711', '[::3]:4711', '127.0.0.2:', ':4711', '127.0.0.2:a', ''],
    ])
      assert.equal(await call(one, { forwarded }), 404, forwarded);
    // Past the proxy, there is no such entry.
    assert.equal(await call(one, { from: '127.0.0.2' }), 404);
    assert.equal(await call(one, { from: '127.0.0.2', forwarded: 'unknown' }), 404);

    const two = await endpoint({ addresses: ['127.0.0.2'], proxies: 2 });
    const outer = await proxyTo(await proxyTo(two));
    assert.equal(await call(outer, { from: '127.0.0.2' }), 200);
    assert.equal(await call(outer, { from: '127.0.0.3', forwarded: '127.0.0.2' }), 404);
  });
}

test('a faulty setting is an error at the start, which never shows the secret', () => {
  const check = (/** @type {object} */ settings) =>
    createCheck({ secret: SECRET, addresses: ['127.0.0.2'], ...settings });
  for (const secret of ['', 'short', undefined])
    assert.throws(() => check({ secret }), { message: 'secret: expected at least 16 characters' });
  for (const proxies of [-1, 0.5, Number.NaN, '1', null, true])
    assert.throws(() => check({ proxies }), /^TypeError: proxies: expected a whole number/);
  for (const address of [
    ...['', 'localhost', '127.0.0', '127.0.0.256', '127.0.0.2:80', '[::1]', '*'],
    ...['127.0.0.0/', '127.0.0.0/a', '127.0.0.0/8/8', '127.0.0.0/33', '127.0.0.0/-1', '::/129'],
    ...['127.0.0.0/ 8', '127.0.0.0/0x8', ' 127.0.0.2'],
  ])
    assert.throws(() => check({ addresses: ['127.0.0.2', address] }), address);
  assert.throws(() => check({ addresses: '127.0.0.2' }), TypeError);
});

test('a web standard request without the address that called is an error, if that is needed', () => {
  const request = new Request(`https://merchant.example/callbacks/${SECRET}`);
  const addresses = ['127.0.0.2'];
  const missing = { message: 'caller: expected the address that called, received undefined' };
  assert.throws(() => createCheck({ secret: SECRET, addresses })(request), missing);
  assert.equal(createCheck({ secret: SECRET, addresses })(request, null), false);
  assert.equal(createCheck({ secret: SECRET, addresses, proxies: 1 })(request), false);
  assert.equal(createCheck({ secret: SECRET })(request), true);
});
