import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import {
  createReceiver,
  type LogEntry,
  type Receiver,
  type ReceiverAnswer,
  type ReceiverOptions,
  type SavedBody,
  type Store,
} from 'payment-notifications/receiver';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { onTestFinished, vi } from 'vitest';

export const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

export const DEPOSIT = depositReceivedBody();
export const WITHDRAWAL = withdrawalBroadcastBody();
export const KEY = `deposit.received:${JSON.parse(DEPOSIT).depositId}`;
export const SECRET = 'a-secret-of-the-test';

export const OK = { status: 200, text: 'ok' };
export const FAILED = { status: 500, text: 'failed' };

/** The call of {@link DEPOSIT}'s function. */
export const PASSED_ON = ['deposit', KEY, bytes(DEPOSIT)];

export const fails = (error: unknown) => () => Promise.reject(error);
export const no = fails(new Error('no'));
export const never = () => new Promise<never>(() => {});

/** The name under which a body is saved. */
export function nameOf(prefix: string, body: string | Uint8Array): string {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return `${prefix.replaceAll(':', '.')}.${digest}`;
}

/** A store in memory, and what is saved in it, by the name. */
export function memoryStore() {
  const retry = new Map<string, SavedBody>();
  const review = new Map<string, SavedBody>();
  const store: Store = {
    save: async (saved) => void (saved.to === 'retry' ? retry : review).set(saved.name, saved),
    list: async () => [...retry.keys()],
    read: async (name) => retry.get(name)?.body ?? null,
    remove: async (name) => void retry.delete(name),
  };
  return { store, retry, review };
}

interface OwnOptions extends Omit<Partial<ReceiverOptions>, 'store'> {
  /** Functions in place of those of the store in memory. */
  readonly store?: Partial<Store> | null | undefined;
}

/**
 * A receiver with a store in memory, and what it does: `calls` of the functions and, in between,
 * entries of the log, except of settled events.
 */
export function open({ store: ownStore, ...own }: OwnOptions = {}) {
  const memory = memoryStore();
  const entries: LogEntry[] = [];
  const calls: unknown[][] = [];
  const options = {
    secret: null,
    store: ownStore === null ? null : { ...memory.store, ...ownStore },
    async onDepositReceived(_, { key, body }) {
      calls.push(['deposit', key, body]);
    },
    async onWithdrawalBroadcast(_, { key, body }) {
      calls.push(['withdrawal', key, body]);
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
    ...memory,
    options,
    receiver,
    ask: (body: string | Uint8Array) => receiver.receive({ body, url: '/' }),
    entries,
    calls,
    /** What is saved, each with where, why, its key and its bytes. */
    saved: () =>
      [...memory.retry.values(), ...memory.review.values()].map((saved) => [
        ...[saved.to, saved.reason, saved.key, saved.body],
      ]),
    /** Saves a body for the next round. */
    leave(name: string, body: string) {
      memory.retry.set(name, { to: 'retry', name, reason: '', key: null, body: bytes(body) });
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

const answerOf = async (response: Response): Promise<ReceiverAnswer> => ({
  status: response.status,
  text: await response.text(),
});

export const post = async (
  port: number,
  body: string | Uint8Array<ArrayBuffer>,
  init: RequestInit = {},
) => answerOf(await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, ...init }));

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

type Way = (
  receiver: Receiver,
  body: string | Uint8Array<ArrayBuffer> | null,
  sent?: Sent,
) => Promise<ReceiverAnswer>;

/** The ways in which a request reaches a receiver. */
export const WAYS: Record<'node' | 'fetch' | 'receive', Way> = {
  async node({ node }, body, { path = `/callbacks/${SECRET}`, ...init } = {}) {
    const port = await serve(node);
    return answerOf(
      await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, ...init }),
    );
  },
  async fetch(receiver, body, { path = `/callbacks/${SECRET}`, ...init } = {}) {
    const url = `https://merchant.example${path}`;
    return answerOf(await receiver.fetch(new Request(url, { method: 'POST', body, ...init })));
  },
  receive: ({ receive }, body, { path = `/callbacks/${SECRET}`, ...rest } = {}) =>
    receive({ body, url: path, ...rest }),
};

/** A function that runs until the test ends it. */
export function held() {
  let resolve = () => {};
  let reject = () => {};
  let call = () => {};
  const called = new Promise<void>((done) => {
    call = done;
  });
  const ended = new Promise<void>((done, fail) => {
    resolve = done;
    reject = () => fail(new Error('the database says no'));
  });
  const run = (): Promise<void> => {
    call();
    return ended;
  };
  return { run, called, resolve: () => resolve(), reject: () => reject() };
}

/** A request whose body comes in these chunks, and how it ends. */
export function streamed(chunks: Pick<Iterator<Uint8Array>, 'next'>) {
  let end: (how: string) => void;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  let length = 0;
  const body = new ReadableStream(
    {
      pull(controller) {
        const { done, value } = chunks.next();
        if (done) {
          controller.close();
          end(`${length} bytes, read to the end`);
        } else {
          length += value.length;
          controller.enqueue(value);
        }
      },
      cancel: () => end(`${length} bytes, stopped`),
    },
    { highWaterMark: 0 }, // nothing is pulled before it is read
  );
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  return { request: new Request('http://127.0.0.1/callbacks', init), ended };
}

/** Stops the clock until the test ends. Sockets and SHA-256 need the rest of it. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Not `vi.waitFor`, which would move the clock. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

/** Lets what doesn't wait for the clock happen. */
export async function settleDown(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}
