import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import {
  createReceiver,
  type LogEntry,
  type Place,
  type ReceiverAnswer,
  type ReceiverOptions,
  type SavedBody,
  type Store,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { onTestFinished, vi } from 'vitest';

export const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const textOf = (body: Uint8Array): string => Buffer.from(body).toString();

export const DEPOSIT = depositReceivedBody();
export const WITHDRAWAL = withdrawalBroadcastBody();
export const KEY = `deposit.received:${JSON.parse(DEPOSIT).depositId}`;
export const WITHDRAWAL_KEY = `withdrawal.broadcast:${JSON.parse(WITHDRAWAL).withdrawalId}:COMPLETED`;
export const SECRET = 'a.7d1f0c93-1b24_e6f~';
/** The longest body that a receiver reads. */
export const LIMIT = 65_536;

export const OK = { status: 200, text: 'ok' };
export const FAILED = { status: 500, text: 'failed' };

/** The call of {@link DEPOSIT}'s function. */
export const PASSED_ON = ['deposit', KEY, DEPOSIT];

export const fails = (error: unknown) => () => Promise.reject(error);
export const no = fails(new Error('no'));
export const never = () => new Promise<never>(() => {});
export const throws = (): never => {
  throw new Error('no');
};

/** The name under which a body is saved. */
export function nameOf(prefix: string, body: string | Uint8Array): string {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return `${prefix.replaceAll(':', '.')}.${digest}`;
}

export interface OwnOptions extends Omit<Partial<ReceiverOptions>, 'store'> {
  /** Functions in place of those of the store in memory. */
  readonly store?: Partial<Store> | null | undefined;
}

type Kept = SavedBody & { readonly since: Date; readonly tries: number };

/** A store in memory. */
function createMemory() {
  const newPlace = () => new Map<string, Kept>();
  const places = { progress: newPlace(), retry: newPlace(), review: newPlace() };
  const { progress, retry } = places;
  const store: Store = {
    async save(saved) {
      for (const place of Object.values(places)) place.delete(saved.name);
      const tries = Number(saved.to === 'progress');
      places[saved.to].set(saved.name, { ...saved, since: new Date(), tries });
    },
    list: async () =>
      (['progress', 'retry'] as const).flatMap((place) => {
        const kept = [...places[place].values()];
        return kept.map(({ name, since, tries }) => ({ name, place, since, tries }));
      }),
    read: async (name) => (retry.get(name) ?? progress.get(name))?.body ?? null,
    async remove(name) {
      for (const place of Object.values(places)) place.delete(name);
    },
  };
  return { store, places };
}

/**
 * A receiver with a store in memory, and what it does: `calls` of the functions and, in between,
 * entries of the log, except of settled events.
 */
export function open({ store: ownStore, ...own }: OwnOptions = {}) {
  const { store, places } = createMemory();
  const entries: LogEntry[] = [];
  const calls: unknown[][] = [];
  const options = {
    secret: null,
    verify: () => true, // so that no line warns of the secret
    store: ownStore === null ? null : { ...store, ...ownStore },
    async onDepositReceived(_, { key, body }) {
      calls.push(['deposit', key, textOf(body)]);
    },
    async onWithdrawalBroadcast(_, { key, body }) {
      calls.push(['withdrawal', key, textOf(body)]);
    },
    log(entry) {
      entries.push(entry);
      const { outcome, message, key } = entry;
      if (outcome !== 'settled') calls.push([outcome, message, key]);
    },
    ...own,
  } as ReceiverOptions;
  const receiver = createReceiver(options);
  return {
    ...{ options, receiver, entries, calls, ...places },
    ask: (body: string | Uint8Array) => receiver.receive({ body, url: '/' }),
    /** What is saved, each with where, why, its key and its text. */
    saved: () =>
      Object.entries(places).flatMap(([place, kept]) =>
        [...kept.values()].map(({ reason, key, body }) => [place, reason, key, textOf(body)]),
      ),
    /** Puts a body into the store: by default, one that was tried, or claimed, long ago. */
    leave(name: string, body: string, place: Place = 'retry', since = 0, tries?: number) {
      const saved = { to: place, name, reason: '', key: null, body: bytes(body) };
      const claims = tries ?? Number(place === 'progress');
      places[place].set(name, { ...saved, since: new Date(since), tries: claims });
    },
  };
}

/** Lets a server listen until the test ends, and returns its port. */
export async function listen(server: Server): Promise<number> {
  onTestFinished(() => {
    server.close();
    Object(server).closeAllConnections?.();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

export const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

type Body = string | Uint8Array<ArrayBuffer> | null;

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

export const answerOf = async (response: Response): Promise<ReceiverAnswer> => ({
  status: response.status,
  text: await response.text(),
});

export async function post(
  port: number,
  body: Body,
  { path = `/callbacks/${SECRET}`, ...init }: Sent = {},
): Promise<ReceiverAnswer> {
  const url = `http://127.0.0.1:${port}${path}`;
  return answerOf(await fetch(url, { method: 'POST', body, ...init }));
}

/** A function that runs until the test ends it. */
export function held() {
  const events = new EventEmitter();
  const [called, ended] = [once(events, 'called'), once(events, 'resolve')];
  ended.catch(() => {});
  return {
    called,
    async run(): Promise<void> {
      events.emit('called');
      await ended;
    },
    resolve: () => events.emit('resolve'),
    reject: () => events.emit('error', new Error('the database says no')),
  };
}

/** A request whose body comes in these chunks, and how much of it is read. */
export function streamed(chunks: Iterable<Uint8Array>) {
  const events = new EventEmitter();
  async function* read() {
    let [length, how] = [0, 'stopped'];
    try {
      for (const chunk of chunks) {
        length += chunk.length;
        yield chunk;
      }
      how = 'read to the end';
    } finally {
      events.emit('ended', `${length} bytes, ${how}`);
    }
  }
  const init = { method: 'POST', body: ReadableStream.from(read()), duplex: 'half' } as RequestInit;
  return {
    request: new Request('https://merchant.example/callbacks', init),
    ended: once(events, 'ended'),
  };
}

/** Stops the clock until the test ends. Sockets and SHA-256 need the rest of it. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Not `vi.waitFor`, which would move the clock. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

/** Lets what doesn't wait for the clock happen. */
export async function settleDown(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}
