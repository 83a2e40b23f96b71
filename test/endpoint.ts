import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an endpoint does with the nth request, counted from 1. */
export type Behaviour = (response: http.ServerResponse, request: Received, n: number) => void;

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A merchant's endpoint on loopback. */
export interface Endpoint extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
}

export async function endpoint(behave: Behaviour): Promise<Endpoint> {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    const { method, url, headers } = request;
    const seen = { method, url, headers, body: Buffer.concat(await request.toArray()) };
    received.push(seen);
    behave(response, seen, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/callbacks`,
    received,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Calls `act` with the URL of an endpoint, and closes the endpoint afterwards.
 *
 * @returns What `act` returns, and what the endpoint received.
 */
export async function against<T extends object>(
  behave: Behaviour,
  act: (url: string) => Promise<T>,
): Promise<T & Pick<Endpoint, 'url' | 'received'>> {
  await using merchant = await endpoint(behave);
  const { url, received } = merchant;
  return { ...(await act(url)), url, received };
}

/** An address at which nobody listens. Its port is none that a system gives to a program. */
export const NOBODY = 'http://127.0.0.1:2/callbacks';

export const answers =
  (status: number, body = ''): Behaviour =>
  (response) => {
    response.writeHead(status).end(body);
  };

/** Fails so many requests, and then succeeds. */
export const failsTimes =
  (times: number): Behaviour =>
  (response, _request, n) => {
    response.writeHead(n > times ? 200 : 500).end(n > times ? 'ok' : 'database is down');
  };
