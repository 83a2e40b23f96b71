import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe } from '../parser/messages.js';
import { createReceiver } from '../receiver/index.js';
import { SECRET } from '../receiver/secret.js';
import { redactPath } from '../shared/redact.js';
import { CommandError, describeSystemError, EXIT } from './errors.js';
import { createListenLog } from './listen-log.js';
import { COMMON, readArguments, readCount, STRING } from './options.js';
import type { Terminal } from './terminal.js';

const LISTEN_OPTIONS = {
  port: STRING,
  host: STRING,
  save: STRING,
  secret: STRING,
  status: STRING,
  ...COMMON,
} as const;

export const LISTEN_HELP = `payment-notifications listen

Receives webhooks until Ctrl-C, and prints a line for each. First it prints the
callback URL. Of a secret from --secret, it prints only the start. Other URLs
are answered with 404.

To receive the service's webhooks, open a tunnel to the port. Set the service's
callback URLs to the tunnel's address plus the path that listen has printed.

  --port PORT      listen on this port (default: 3000), or on any free one if 0
  --host ADDRESS   listen on this address (default: 127.0.0.1)
  --save FOLDER    save each webhook, up to 64 KiB, unchanged to its own file
  --secret SECRET  end the callback URL with this (default: a new secret)
  --status STATUS  answer valid webhooks with this status (default: 200)

Examples:

  payment-notifications listen --save callbacks
  payment-notifications inspect callbacks
`;

const HINT =
  'To receive webhooks of the service, open a tunnel to this port. Press Ctrl-C to stop.';

/** `fail` has printed why. */
const NOT_SAVED = new Error('not saved');

export async function listen(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, LISTEN_OPTIONS);
  if (positionals.length > 0) throw new CommandError('listen: expected options alone');
  const port = readCount('--port', values.port ?? '3000', 0, 65_535);
  const status = readCount('--status', values.status ?? '200', 200, 599);
  const secret = values.secret ?? randomBytes(16).toString('hex');
  if (!SECRET.test(secret)) {
    const rule = 'expected at least 16 letters, digits or any of -._~, received';
    throw new CommandError(`--secret: ${rule} ${describe(secret)}. Omit it to make one`);
  }
  const log = createListenLog(terminal, values.save);
  const receiver = createReceiver({
    secret,
    success: { status },
    store: null,
    async onDepositReceived() {},
    async onWithdrawalBroadcast() {},
    // Gets every body that is read, even one that the parser refuses.
    verify({ body }) {
      if (!log.webhook(body)) throw NOT_SAVED;
      return true;
    },
    log({ outcome, message, error, issue }) {
      if (outcome === 'failed' && Object(error).cause !== NOT_SAVED) log.fail('not read', error);
      // A warning about a body is part of its sentence.
      else if (outcome === 'warning' && !issue) console.warn(message);
    },
  });
  const server = createServer(receiver.node);
  const origin = await start(server, port, values.host ?? '127.0.0.1');
  // The user's own secret is not printed, except for its start.
  const path = values.secret === undefined ? `/${secret}` : redactPath(`/${secret}`);
  terminal.print(`listening at ${origin}${path}\n${HINT}\n\n`);
  await new Promise<void>((resolve) => terminal.onInterrupt(resolve));
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  // Bodies that were still arriving are counted as well.
  await receiver.stop();
  log.end();
  return EXIT.interrupted;
}

/** Starts a server, and returns the origin of its URLs. */
async function start(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = `--port: expected a free port, received ${port}, which is in use`;
      const isInUse = error.code === 'EADDRINUSE';
      reject(
        new CommandError(
          isInUse ? inUse : `--host: can't listen there: ${describeSystemError(error)}`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}
