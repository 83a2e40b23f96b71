import querystring from 'node:querystring';
import type { DeliveryFetch } from '../testing/attempt.js';
import { urlErrorOf } from '../testing/deliver.js';
import { CommandError } from './usage.js';

/** How much of an answer is read, in bytes. */
const MAX_ANSWER: number = 64 * 1024;
/** The end of an answer that is longer. */
export const CUT: string = ' … (only 64 KiB of the answer were read)';

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

/** The global `fetch`, but of a longer answer only the first 64 KiB are read. */
export const fetchStart: DeliveryFetch = async (url, request) => {
  const response = await fetch(url, request);
  return { status: response.status, text: () => readStart(response.body ?? []) };
};

async function readStart(body: AsyncIterable<Uint8Array> | []): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_ANSWER) break;
  }
  const bytes = Buffer.concat(pieces);
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_ANSWER));
  return size > MAX_ANSWER ? text + CUT : text;
}
