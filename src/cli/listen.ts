import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatCount, plural } from '../inspect/display.js';
import { judgeBody } from '../inspect/judgement.js';
import type { Verdict } from '../inspect/verdict.js';
import { describe } from '../parser/messages.js';
import { createReceiver } from '../receiver/index.js';
import { isSecret, redactPath, SECRET_RULE } from '../shared/redact.js';
import { displayName } from './files.js';
import { COMMON, readArguments, readCount, STRING } from './options.js';
import { openFolder } from './save.js';
import {
  CommandError,
  describeSystemError,
  EXIT,
  marked,
  printError,
  type Terminal,
} from './terminal.js';

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
callback URL. If you pass --secret, it prints only the start of the secret.
Other URLs are answered with 404.

To receive the service's webhooks, open a tunnel to the port. Set the service's
callback URLs to the tunnel's address plus the path that listen has printed.

  --port PORT      listen on this port (default: 3000), or on any free one if 0
  --host ADDRESS   listen on this address (default: 127.0.0.1)
  --save FOLDER    save each webhook, up to 64 KiB, unchanged to its own file
  --secret SECRET  end the callback URL with this (default: a new secret)
  --status STATUS  answer valid webhooks with this status (default: 200)

Examples:

  payment-notifications listen --save received
  payment-notifications inspect received
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
  if (!isSecret(secret)) {
    const received = `received ${describe(secret)}. Omit it to make one`;
    throw new CommandError(`--secret: expected ${SECRET_RULE}, ${received}`);
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
      else if (outcome === 'warning' && !issue) printError(terminal, message);
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

/**
 * Creates functions that print one line for each webhook, and count them.
 *
 * @param folder - Where bodies are saved; undefined to save none.
 */
function createListenLog(terminal: Terminal, folder: string | undefined) {
  const save = folder === undefined ? null : openFolder(folder);
  const counts = { webhooks: 0, refused: 0, failed: 0 };

  const print = (verdict: Verdict, time: Date, ...texts: readonly string[]): void =>
    terminal.print(marked(verdict, [time.toISOString(), ...texts].join('  ')));
  /** Prints a line about a webhook that was not read. */
  const fail = (failure: string, error: unknown): void => {
    counts.webhooks += 1;
    counts.failed += 1;
    print('refused', new Date(), `${failure}: ${describeSystemError(error)}`);
  };
  return {
    fail,
    /** Saves a body if there is a folder, then prints its line. Returns false if that fails. */
    webhook(body: Uint8Array): boolean {
      const time = new Date();
      const { outcome, summary, type, idempotencyKey: key } = judgeBody(body).judgement;
      const kind = type === 'deposit.received' ? 'deposit' : 'withdrawal';
      const texts = key === null ? [summary] : [key, summary];
      try {
        if (save !== null) texts.push(save(time, key === null ? 'refused' : kind, body));
      } catch (error) {
        fail('not saved, answered with 500', error);
        return false;
      }
      counts.webhooks += 1;
      if (key === null) counts.refused += 1;
      print(outcome, time, ...texts);
      return true;
    },
    end(): void {
      const { webhooks, refused, failed } = counts;
      const saved = formatCount(webhooks - failed);
      const texts = [
        plural(webhooks, 'webhook'),
        `${formatCount(refused)} refused`,
        ...(failed === 0 ? [] : [`${formatCount(failed)} not read or not saved`]),
        ...(folder === undefined ? [] : [`${saved} saved in ${displayName(folder)}`]),
      ];
      terminal.print(`\n${texts.join(', ')}\n`);
    },
  };
}

/** Starts a server, and returns the origin of its URLs. */
async function start(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = `--port: expected a free port, received ${port}, which is in use`;
      const isInUse = error.code === 'EADDRINUSE';
      reject(
        new CommandError(
          isInUse ? inUse : `--host: can't listen on ${host}: ${describeSystemError(error)}`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}
