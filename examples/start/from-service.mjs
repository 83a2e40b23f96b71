import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';

/**
 * Creates a check of whether a request has the secret path and comes from an address of the service.
 *
 * @param {object} settings A faulty one throws.
 * @param {string} settings.secret The last part of the path: make it with `openssl rand -hex 32`.
 * @param {string[]} [settings.addresses] The service's: `203.0.113.7`, `203.0.113.0/24`. Default: any address.
 * @param {number} [settings.proxies] How many proxies of yours a request passes. Each appends the address that
 * called it to X-Forwarded-For. Entries in front of these may be made up by the sender.
 */
export function createCheck({ secret, addresses, proxies = 0 }) {
  if (typeof secret !== 'string' || secret.length < 16)
    throw new TypeError('secret: expected at least 16 characters');
  if (!Number.isInteger(proxies) || proxies < 0)
    throw new TypeError(`proxies: expected a whole number of at least 0, received ${proxies}`);
  const list = addresses && toList(addresses);

  /**
   * Call it before the body is read, and answer 404 if it returns false.
   *
   * @param {import('node:http').IncomingMessage | Request} request Of Node.js, or web standard.
   * @param {string | null} [caller] For a web standard request: the address that called, which only your platform
   * knows. It isn't needed behind a proxy, or without `addresses`.
   */
  return function isFromService(request, caller) {
    const isWeb = !('socket' in request);
    if (list && isWeb && proxies === 0 && caller === undefined)
      throw new TypeError('caller: expected the address that called, received undefined');
    const [path = ''] = (request.url ?? '').split('?');
    if (!isEqual(path.replace(/\/$/, '').split('/').at(-1) ?? '', secret)) return false;
    if (!list) return true;
    const [forwarded, last] = isWeb
      ? [request.headers.get('x-forwarded-for'), caller]
      : [request.headers['x-forwarded-for'], request.socket.remoteAddress];
    const callers = [...String(forwarded ?? '').split(','), last ?? ''];
    const client = withoutPort((callers.at(-1 - proxies) ?? '').trim());
    return isIP(client) !== 0 && list.check(client, family(client));
  };
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
    if (isIP(address) === 0)
      throw new TypeError(`addresses: expected an IP address or a range, received "${entry}"`);
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
