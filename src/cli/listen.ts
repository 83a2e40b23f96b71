import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { escapeUnprintable } from '../internal/quote.js';
import type { PaymentNotification } from '../notification.js';
import { createReceiver } from '../receiver/index.js';
import { CommandError, EXIT } from './errors.js';
import { nameOf } from './input.js';
import { COMMON, helpOf, readArguments, readCount, text } from './options.js';
import { format, paint, type Terminal } from './terminal.js';

const OPTIONS = {
  port: { ...text('PORT', 'listen on this port; 0 for any that is free'), default: '3000' },
  host: { ...text('ADDRESS', 'listen at this address'), default: '127.0.0.1' },
  save: text('FOLDER', 'save each body, unchanged, to a new file'),
  status: { ...text('STATUS', 'answer callbacks that can be parsed with this'), default: '200' },
  ...COMMON,
} as const;

export const LISTEN_HELP: string = helpOf(
  'listen',
  'Prints each callback that arrives in one line, until Ctrl-C. Every path is an endpoint. A body that is refused is answered with 400 or 413. A tunnel makes the port public: anyone who knows its URL can post to it.',
  OPTIONS,
  'listen --save callbacks',
  'inspect callbacks/*\n  payment-notifications check callbacks/*',
);

export async function listen(args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS);
  if (positionals.length > 0) throw new CommandError('listen: expected options only');
  const port = readNumber('--port', values.port, 0, 65_535);
  const status = readNumber('--status', values.status, 200, 599);
  const folder = values.save === undefined ? null : openFolder(values.save);
  const { clock, interrupt } = terminal;
  let [came, saved] = [0, 0];

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const time = new Date(clock.now()).toISOString();
    let texts: string[] = [];
    let file: string[] = [];
    // Before the answer: if it fails, the answer is 500, and the service may repeat the callback.
    const keep = (body: Uint8Array, kind: string, ...more: string[]): void => {
      texts = [kind, ...more];
      if (folder === null || body.length === 0) return;
      file = [`→ ${write(folder, `${time.replaceAll(':', '-')}-${kind}`, body)}`];
      saved += 1;
    };
    const receiver = createReceiver({
      secret: null,
      onDepositReceived: async (deposit, { body, key }) => {
        keep(body, 'deposit', key, ...textsOf(deposit));
        return { status, text: 'ok' };
      },
      onWithdrawalBroadcast: async (withdrawal, { body, key }) => {
        keep(body, 'withdrawal', key, ...textsOf(withdrawal));
        return { status, text: 'ok' };
      },
      onRefused: async ({ issues: [{ code, message }] }, { body }) =>
        keep(body, 'refused', code, message),
      onError: async (error, { body }) => {
        texts = [body === null ? 'not read' : 'not saved', Object(error).message];
      },
      onWarning: () => {},
    });
    await receiver.node(request, response);
    came += 1;
    const isGood = /^(deposit|withdrawal)$/.test(texts[0] ?? '');
    // Nothing else tells a callback from somebody who looks around.
    const asked = isGood ? [] : [`${request.method} ${request.url}`];
    const line = [...texts, ...asked, ...file].map(escapeUnprintable).join('  ');
    const mark = isGood ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
    terminal.print(`${mark} ${time}  ${line}\n`);
  };

  const server = createServer(receive);
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => reject(new CommandError(`listen: ${message}`)));
    server.listen(port, values.host, resolve);
  });
  const { address, port: own, family } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  terminal.print(`listening at http://${host}:${own}/ (Ctrl-C ends it)\n`);
  await new Promise<void>((resolve) => {
    if (interrupt.aborted) resolve();
    interrupt.addEventListener('abort', () => resolve());
  });
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  const where = folder === null ? '' : `, ${format.count(saved)} saved in ${nameOf(folder)}`;
  terminal.print(`${format.count(came)} ${came === 1 ? 'callback' : 'callbacks'}${where}\n`);
  return EXIT.ok; // which Ctrl-C makes 130, as everywhere
}

function textsOf(notification: PaymentNotification): string[] {
  const { length } = notification.warnings;
  const warnings = length === 0 ? [] : [`${length} ${length === 1 ? 'warning' : 'warnings'}`];
  if (notification.type === 'deposit.received') {
    return [`${notification.actualDepositAmount} ${notification.depositCurrency}`, ...warnings];
  }
  const { status, actualWithdrawAmount: amount, withdrawCurrency } = notification;
  const moved = amount === null ? [] : [`${amount} ${withdrawCurrency}`];
  return [...(status === 'COMPLETED' && amount !== null ? moved : [status, ...moved]), ...warnings];
}

function readNumber(option: string, given: string, least: number, most: number): number {
  const number = readCount(option, given, least);
  if (number <= most) return number;
  throw new CommandError(`${option}: expected at most ${most}, received ${number}`);
}

/** Finds out at once whether the folder can be written. */
function openFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
    return folder;
  } catch (error) {
    throw new CommandError(`--save: ${nameOf(folder)}: ${Object(error).message}`);
  }
}

/** Writes a new file, and never over another one. Returns its path. */
function write(folder: string, name: string, body: Uint8Array): string {
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}.json`);
    try {
      writeFileSync(path, body, { flag: 'wx', mode: 0o600 });
      return path;
    } catch (error) {
      if (Object(error).code !== 'EEXIST') throw error;
    }
  }
}
