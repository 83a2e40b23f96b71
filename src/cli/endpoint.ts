import querystring from 'node:querystring';
import { MAX_BYTES } from '../parser/body.js';
import { redactPath } from '../shared/redact.js';
import type { AttemptOptions } from '../testing/attempt.js';
import { CommandError } from './errors.js';

/** Where `send` posts bodies. */
export interface Endpoint {
  /** Without a user name and password: they are in the headers. */
  readonly url: URL;
  readonly headers: Record<string, string>;
}

/** Moves a user name and password from the URL to the headers, unless these have Authorization. */
export function readEndpoint(to = '', lines: readonly string[] = []): Endpoint {
  const headers = new Headers();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):\s*(\S.*)$/.exec(line) ?? [];
    try {
      headers.append(name, value);
    } catch {
      // The original message would show the header's value.
      throw new CommandError("--header: expected 'NAME: VALUE', in quotes");
    }
  }
  if (to === '') throw new CommandError('--to: expected the URL of your endpoint');
  if (/…|%E2%80%A6/i.test(to)) {
    throw new CommandError(
      '--to: expected a whole URL, received one that was shortened to hide its secret',
    );
  }
  const url = URL.canParse(to) ? new URL(to) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const received = to.includes('@')
      ? 'a hidden value that may contain a password'
      : `"${redactPath(to)}"`;
    throw new CommandError(`--to: expected an http or https URL, received ${received}`);
  }
  if (url.username + url.password !== '') {
    const login = querystring.unescape(`${url.username}:${url.password}`);
    const basic = `Basic ${Buffer.from(login).toString('base64')}`;
    if (!headers.has('authorization')) headers.set('authorization', basic);
    url.username = '';
    url.password = '';
  }
  return { url, headers: Object.fromEntries(headers) };
}

/** Why there is no answer if nothing listens on the port. */
export const NO_SERVER = 'connection refused (is the server running?)';

/** Like `fetch`, but reads at most 64 KiB of an answer. */
export const fetchStart: NonNullable<AttemptOptions['fetch']> = async (url, request) => {
  const { status, body } = await fetch(url, request).catch((error) => {
    throw error.cause?.code === 'ECONNREFUSED' ? new Error(NO_SERVER) : error;
  });
  const text = async (): Promise<string> => {
    let bytes = Buffer.alloc(0);
    for await (const chunk of body ?? []) {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length > MAX_BYTES) break;
    }
    const start = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES));
    return bytes.length > MAX_BYTES ? `${start}…` : start;
  };
  return { status, text };
};
