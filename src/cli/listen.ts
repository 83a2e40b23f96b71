import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatCount, plural, shorten } from '../inspect/display.js';
import { judgeBody } from '../inspect/judgement.js';
import { describe } from '../parser/messages.js';
import { isVisit } from '../receiver/arrive.js';
import { createReceiver } from '../receiver/index.js';
import { SECRET } from '../receiver/secret.js';
import { redactPath } from '../shared/redact.js';
import { CommandError, EXIT, reasonOf } from './errors.js';
import { COMMON, helpOf, readArguments, readCount, text } from './options.js';
import { nameOf } from './read-bodies.js';
import { openFolder } from './save.js';
import { type Mark, marked, type Terminal, wrap } from './terminal.js';

const OPTIONS = {
  port: { ...text('PORT', 'listen on this port, or any free one if 0'), default: '3000' },
  host: { ...text('ADDRESS', 'listen on this address'), default: '127.0.0.1' },
  secret: text('SECRET', 'end the callback URL with this (default: a new one)'),
  save: text('FOLDER', 'save each body (at most 64 KiB), unchanged, to its own file'),
  status: { ...text('STATUS', 'answer valid bodies with this status'), default: '200' },
  ...COMMON,
} as const;

export const LISTEN_HELP: string = helpOf(
  'listen',
  "Receives callbacks until Ctrl-C, and prints one line for each. The callback URL, which is printed first, ends with a secret; other URLs are answered with 404. To receive the service's callbacks, open a tunnel to the port, and give the service the tunnel's address with the path of the callback URL.",
  OPTIONS,
  'listen --save callbacks',
  'inspect callbacks',
);

const HINT =
  'To receive callbacks of the service, open a tunnel to this port, and keep the path. Ctrl-C ends it.';

/** `fail` has printed why. */
const NOT_SAVED = new Error('not saved');
/** Maximum length of a displayed path, in characters. */
const MAX_PATH = 40;

export async function listen(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  if (positionals.length > 0) throw new CommandError('listen: expected options, received a name');
  const port = readCount('--port', values.port, 0, 65_535);
  const status = readCount('--status', values.status, 200, 599);
  const secret = values.secret ?? randomBytes(16).toString('hex');
  if (!SECRET.test(secret)) {
    const rule = 'expected at least 16 letters, digits or any of -._~, received';
    throw new CommandError(`--secret: ${rule} ${describe(secret)}. Omit it to make one`);
  }
  const log = createLog(terminal, values.save);
  const receiver = createReceiver({
    secret,
    success: { status },
    store: null,
    async onDepositReceived() {},
    async onWithdrawalBroadcast() {},
    // Gets every body that is read, even one that the parser refuses.
    verify({ body }) {
      if (!log.callback(body)) throw NOT_SAVED;
      return true;
    },
    log({ outcome, message, error, issue }) {
      if (outcome === 'failed' && Object(error).cause !== NOT_SAVED) log.fail('not read', error);
      // A warning about a body is part of its sentence.
      else if (outcome === 'warning' && !issue) console.warn(message);
    },
  });
  const server = createServer((request, response) => {
    receiver.node(request, response);
    // A visit shows that a tunnel works. The receiver calls nothing for it, so it is printed here.
    if (isVisit(request) && isEmpty(request))
      response.on('finish', () => log.visit(request, response.statusCode));
  });

  const origin = await start(server, port, values.host);
  // The user's own secret is not printed, except for its start.
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
  await receiver.stop();
  log.end();
  return EXIT.ok;
}

function isEmpty({ headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return length === '0' && encoding === undefined;
}

/** Prints one line for each callback, saves its body first, and counts. */
function createLog(terminal: Terminal, folder: string | undefined) {
  const { columns } = terminal;
  const save = folder === undefined ? null : openFolder(folder);
  const counts = { callbacks: 0, refused: 0, failed: 0, saved: 0 };

  const print = (mark: Mark, time: Date, ...texts: readonly string[]): void => {
    const iso = time.toISOString();
    // Without the date, a sentence has more room in 80 columns.
    const shownTime = Number.isFinite(columns) ? `${iso.slice(11, 19)}Z` : iso;
    terminal.print(marked(mark, [shownTime, ...texts].join('  '), terminal));
  };
  const fail = (failure: string, error: unknown): void => {
    counts.callbacks += 1;
    counts.failed += 1;
    print('refused', new Date(), `${failure}: ${reasonOf(error)}`);
  };
  return {
    fail,
    /** Saves a body if there is a folder, then prints its line. Returns false if that fails. */
    callback(body: Uint8Array): boolean {
      const time = new Date();
      const { outcome, summary, type, idempotencyKey: key } = judgeBody(body).judgement;
      const kind = type === 'deposit.received' ? 'deposit' : 'withdrawal';
      const texts = key === null ? [summary] : [key, summary];
      try {
        if (save !== null) {
          texts.push(save(time, key === null ? 'refused' : kind, body));
          counts.saved += 1;
        }
      } catch (error) {
        fail('not saved, answered with 500', error);
        return false;
      }
      counts.callbacks += 1;
      if (key === null) counts.refused += 1;
      print(outcome, time, ...texts);
      return true;
    },
    visit({ method, url }: IncomingMessage, status: number): void {
      const path = shorten(redactPath(`${url}`), MAX_PATH);
      print('none', new Date(), `${method} ${path} without a body, answered with ${status}`);
    },
    /** Prints how many came, how many were refused, and where the bodies are. */
    end(): void {
      const { callbacks, refused, failed, saved } = counts;
      const texts = [
        plural(callbacks, 'callback'),
        `${formatCount(refused)} refused`,
        ...(failed === 0 ? [] : [`${formatCount(failed)} not read or not saved`]),
        ...(folder === undefined ? [] : [`${formatCount(saved)} saved in ${nameOf(folder)}`]),
      ];
      terminal.print(`\n${wrap(texts.join(', '), columns).join('\n')}\n`);
    },
  };
}

/** Starts a server, and returns the origin of its URLs. */
async function start(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = `--port: expected a free port, received ${port}, which is in use`;
      const rule = 'listen: expected an address of this machine and a port, received';
      const isInUse = error.code === 'EADDRINUSE';
      const text = isInUse ? `${inUse}. Choose another one` : `${rule} ${reasonOf(error)}`;
      reject(new CommandError(text));
    });
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}
