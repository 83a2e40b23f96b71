import querystring from 'node:querystring';
import { type DeliveryAttempt, urlErrorOf } from '../testing/deliver.js';
import { CommandError } from './usage.js';

type Headers = Readonly<Record<string, string>>;

/** The address without its user name and password, and the headers, which say them then. */
export function readEndpoint(
  to = '',
  lines: readonly string[] = [],
): { readonly url: string; readonly headers: Headers } {
  const headers = new globalThis.Headers();
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
  let address = to;
  if (url !== null && url.username + url.password !== '') {
    const login = querystring.unescape(`${url.username}:${url.password}`);
    const basic = `Basic ${Buffer.from(login).toString('base64')}`;
    if (!headers.has('authorization')) headers.set('authorization', basic);
    url.username = '';
    url.password = '';
    address = url.href;
  }
  if (address === '') throw new CommandError('--to URL is missing: the endpoint to post to');
  const reason = urlErrorOf(address);
  if (reason !== null) throw new CommandError(`--to: ${reason}`);
  return { url: address, headers: Object.fromEntries(headers) };
}

/** An attempt whose answer repeats no value of a header, nor a part of one, such as its token. */
export function withoutValues(headers: Headers, attempt: DeliveryAttempt): DeliveryAttempt {
  if (attempt.answer === null) return attempt;
  const secrets = Object.values(headers).flatMap((value) => [value, ...value.split(' ')]);
  const body = secrets
    // Shorter values would hide half of an answer.
    .filter(({ length }) => length >= 8)
    .reduce((text, secret) => text.replaceAll(secret, '***'), attempt.answer.body);
  return { ...attempt, answer: { ...attempt.answer, body } };
}
