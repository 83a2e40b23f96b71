import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';

/**
 * Whether a request has the secret path and comes from an address of the service. Call it before reading the
 * body, and answer 404 if not. It throws if its settings are faulty, whatever the request.
 *
 * @param {import('node:http').IncomingMessage | Request} request
 * @param {object} expected
 * @param {string} expected.secret The last part of the path: make it with `openssl rand -hex 32`.
 * @param {string[]} [expected.addresses] The service's: `203.0.113.7`, `203.0.113.0/24`. Without them, any will do.
 * @param {number} [expected.proxies] How many proxies of yours a request passes, each of which appends the
 * address that called it to X-Forwarded-For. What is further to the front, the sender may have made up.
 * @param {string} [expected.caller] The address that called, of a `Request`, which doesn't have it: your platform
 * does, such as `server.requestIP(request)?.address` of Bun. Behind a proxy, it isn't needed.
 */
export function isFromService(request, { secret, addresses, proxies = 0, caller }) {
  if (secret.length < 16) throw new TypeError('the secret is too short');
  if (!Number.isInteger(proxies) || proxies < 0)
    throw new TypeError(`not a number of proxies: ${proxies}`);
  const list = addresses && toList(addresses);
  const isWeb = !('socket' in request);
  if (list && isWeb && proxies === 0 && caller === undefined)
    throw new TypeError('caller: expected an address, received undefined');
  const [path = ''] = (request.url ?? '').split('?');
  if (!isEqual(path.replace(/\/$/, '').split('/').at(-1) ?? '', secret)) return false;
  if (list === undefined) return true;
  const [forwarded, last] = isWeb
    ? [request.headers.get('x-forwarded-for'), caller]
    : [request.headers['x-forwarded-for'], request.socket.remoteAddress];
  const callers = [...String(forwarded ?? '').split(','), last ?? ''];
  const client = withoutPort((callers.at(-1 - proxies) ?? '').trim());
  return isIP(client) !== 0 && list.check(client, family(client));
}

/** Takes the same time wherever two texts differ, and whatever their lengths. @param {string} one @param {string} other */
function isEqual(one, other) {
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** @param {string[]} addresses */
function toList(addresses) {
  const list = new BlockList();
  for (const entry of addresses) {
    const [, address = '', bits] = /^([^/]*)(?:\/(\d+))?$/.exec(entry) ?? [];
    if (isIP(address) === 0) throw new TypeError(`not an address: ${entry}`);
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return list;
}

/** `203.0.113.7:4711` and `[2001:db8::7]:4711`, as some proxies write them. @param {string} caller */
function withoutPort(caller) {
  const [, six, four] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(caller) ?? [];
  return six ?? four ?? caller;
}

/** @param {string} address */
function family(address) {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
