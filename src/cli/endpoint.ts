import { MAX_BYTES } from '../parser/body.js';
import { redactUrl } from '../shared/redact.js';
import { type DeliverOptions, urlErrorOf } from '../testing/deliver.js';
import { CommandError } from './terminal.js';

/** Why there is no answer if nothing listens on the port. */
export const NO_SERVER = 'connection refused (is the server running?)';

export function readUrl(to: string | undefined): URL {
  const reason = urlErrorOf(to);
  if (reason !== null) throw new CommandError(`--to: ${reason}`);
  return new URL(`${to}`);
}

/** Reads headers such as `X-Signature: 5f`. Never shows them. */
export function readHeaders(lines: readonly string[] = []): Record<string, string> {
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
  return Object.fromEntries(headers);
}

/** Like `fetch`, but reads 64 KiB of an answer, and says where a redirect points. */
export const fetchStart: NonNullable<DeliverOptions['fetch']> = async (url, request) => {
  const { status, headers, body } = await fetch(url, request).catch((error) => {
    throw error.cause?.code === 'ECONNREFUSED' ? new Error(NO_SERVER) : error;
  });
  const location = headers.get('location');
  const isRedirect = status >= 300 && status <= 399 && location !== null;
  const target = isRedirect && URL.canParse(location, url) ? new URL(location, url) : null;
  const text = async (): Promise<string> => {
    if (target !== null) return `redirects to ${redactUrl(target)}`;
    let bytes = Buffer.alloc(0);
    for await (const chunk of body ?? []) {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length > MAX_BYTES) break;
    }
    return bytes.toString();
  };
  return { status, text };
};
