import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PaymentNotification } from '../notification.js';
import { createReceiver, type DeliveryContext } from '../receiver/index.js';
import { createCheck } from '../receiver/secret.js';
import { createCallbackLog } from './callback-log.js';
import { CommandError, EXIT } from './errors.js';
import { COMMON, helpOf, readArguments, readCount, text } from './options.js';
import { redactPath } from './redact.js';
import { type Terminal, wrap } from './terminal.js';

const OPTIONS = {
  port: { ...text('PORT', 'listen on this port (0: any free port)'), default: '3000' },
  host: { ...text('ADDRESS', 'listen on this address'), default: '127.0.0.1' },
  secret: text('SECRET', 'end the callback URL with this (default: a new one)'),
  save: text('FOLDER', 'save each body, unchanged, to its own file'),
  status: { ...text('STATUS', 'answer valid bodies with this status'), default: '200' },
  ...COMMON,
} as const;

export const LISTEN_HELP: string = helpOf(
  'listen',
  "Receives callbacks until Ctrl-C, and prints one line for each. The callback URL, which is printed first, ends with a secret; other URLs are answered with 404. To receive the service's callbacks, open a tunnel to the port, and give the service the tunnel's address with the path of the callback URL.",
  OPTIONS,
  'listen --save callbacks',
  'check callbacks',
);

const HINT =
  'To receive callbacks of the service, open a tunnel to this port, and keep the path. Ctrl-C ends it.';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** Methods of requests without a body, such as a browser's. */
const WITHOUT_BODY = ['GET', 'HEAD', 'OPTIONS'];

export async function listen(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  if (positionals.length > 0) throw new CommandError('listen: expected options only');
  const port = readCount('--port', values.port, 0, 65_535);
  const status = readCount('--status', values.status, 200, 599);
  const secret = values.secret ?? randomBytes(16).toString('hex');
  const isCallback = readSecret(secret);
  const log = createCallbackLog(terminal, values.save);

  /** With a `--status` of 500 or more, the receiver reports these as well. */
  const accepted = new WeakSet<Uint8Array>();
  const settle = async (notification: PaymentNotification, context: DeliveryContext) => {
    log.accept(notification, context);
    accepted.add(context.body);
    return { status, text: 'ok' };
  };
  const receiver = createReceiver({
    secret,
    onDepositReceived: settle,
    onWithdrawalBroadcast: settle,
    onRefused: async (error, { body }) => log.refuse(error, body),
    onError: async (error, { body }) => {
      if (body === null || !accepted.has(body)) log.fail(error, body);
    },
    onWarning() {}, // is part of the notification's line
  });
  const server = createServer((request, response) => {
    const { method = '', url } = request;
    if (!isCallback(url)) {
      log.turnAway(method, url);
      response.writeHead(404, TEXT).end('not found');
    } else if (WITHOUT_BODY.includes(method)) {
      log.turnAwayMethod(method);
      response.writeHead(405, { ...TEXT, allow: 'POST' }).end('expected POST');
    } else receiver.node(request, response);
  });

  const origin = await start(server, port, values.host);
  // A secret of the user's own is not printed.
  const path = values.secret === undefined ? `/${secret}` : redactPath(`/${secret}`);
  terminal.print(`listening at ${origin}${path}\n${wrap(HINT, terminal.columns).join('\n')}\n\n`);
  await new Promise<void>((resolve) => {
    if (terminal.interrupt.aborted) resolve();
    terminal.interrupt.addEventListener('abort', () => resolve());
  });
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  // Bodies that were still arriving are counted as well.
  await receiver.idle();
  log.end();
  return EXIT.ok;
}

/** Returns the receiver's check of a URL, or explains its rule for secrets. */
function readSecret(secret: string): (url: unknown) => boolean {
  try {
    return createCheck(secret);
  } catch (error) {
    // The rest of the message is advice for the code of an endpoint.
    const [rule] = Object(error).message.split('. ');
    throw new CommandError(`--${rule}. Without --secret, listen makes one`);
  }
}

/** Starts a server, and returns the origin of its URLs. */
async function start(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const inUse = `--port: expected a free port, received ${port}, which is in use`;
      const text = code === 'EADDRINUSE' ? `${inUse}. Choose another one` : `listen: ${message}`;
      reject(new CommandError(text));
    });
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}
