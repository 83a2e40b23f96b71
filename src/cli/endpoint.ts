import querystring from 'node:querystring';
import { urlErrorOf } from '../testing/deliver.js';
import { CommandError } from './usage.js';

/** The address without its user name and password, and the headers, which have these then. */
export function readEndpoint(
  to = '',
  lines: readonly string[] = [],
): { url: string; headers: Record<string, string> } {
  const headers = new Headers();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):\s*(\S.*)$/.exec(line) ?? [];
    try {
      headers.append(name, value);
    } catch {
      // Its words would show the value.
      throw new CommandError("--header: expected 'NAME: VALUE', in quotes");
    }
  }
  const url = URL.canParse(to) ? new URL(to) : null;
  if (url !== null && url.username + url.password !== '') {
    const login = querystring.unescape(`${url.username}:${url.password}`);
    const basic = `Basic ${Buffer.from(login).toString('base64')}`;
    if (!headers.has('authorization')) headers.set('authorization', basic);
    url.username = '';
    url.password = '';
  }
  const address = url?.href ?? to;
  const reason = to === '' ? 'expected the address of your endpoint' : urlErrorOf(address);
  if (reason !== null) throw new CommandError(`--to: ${reason}`);
  return { url: address, headers: Object.fromEntries(headers) };
}
