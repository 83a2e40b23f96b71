import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type {
  LogEntry,
  Receiver,
  ReceiverAnswer,
  ReceiverOptions,
  SavedBody,
  Store,
} from 'payment-notifications/receiver';
import { depositReceivedBody } from 'payment-notifications/testing';
import { onTestFinished } from 'vitest';

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const DEPOSIT = depositReceivedBody();
export const KEY = `deposit.received:${JSON.parse(DEPOSIT).depositId}`;
export const SECRET = 'a-secret-of-the-test';
export const OK = { status: 200, text: 'ok' };
export const FAILED = { status: 500, text: 'failed' };

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

/**
 * Options with a store in memory, and what becomes of them: `calls` of the functions and, in
 * between, entries of the log, except of settled events.
 */
export function recording(own: Partial<ReceiverOptions> = {}) {
  const stored = memoryStore();
  const entries: LogEntry[] = [];
  const calls: unknown[][] = [];
  const options: ReceiverOptions = {
    secret: null,
    store: stored.store,
    async onDepositReceived({ depositId }, { key, body }) {
      calls.push(['deposit', depositId, key, body]);
    },
    async onWithdrawalBroadcast({ withdrawalId }, { key, body }) {
      calls.push(['withdrawal', withdrawalId, key, body]);
    },
    log(entry) {
      entries.push(entry);
      const { outcome, message, key } = entry;
      if (outcome !== 'settled') calls.push([outcome, message, key]);
    },
    ...own,
  } as ReceiverOptions;
  /** What is saved, each with where, why, its key and its bytes. */
  const saved = () =>
    [...stored.retry.values(), ...stored.review.values()].map(({ to, reason, key, body }) => [
      ...[to, reason, key, body],
    ]);
  return { ...stored, options, entries, calls, saved };
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

const textAnswer = async (response: Response): Promise<ReceiverAnswer> => ({
  status: response.status,
  text: await response.text(),
});

/** The ways in which a request reaches a receiver. */
export const WAYS: Record<
  'node' | 'fetch' | 'receive',
  (
    receiver: Receiver,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ) => Promise<ReceiverAnswer>
> = {
  async node({ node }, body, headers = {}) {
    const port = await serve((request, response) => void node(request, response));
    const url = `http://127.0.0.1:${port}/callbacks/${SECRET}`;
    return textAnswer(await fetch(url, { method: 'POST', body, headers }));
  },
  async fetch(receiver, body, headers = {}) {
    const url = `https://merchant.example/callbacks/${SECRET}`;
    return textAnswer(await receiver.fetch(new Request(url, { method: 'POST', body, headers })));
  },
  receive: ({ receive }, body, headers) => receive({ body, url: `/callbacks/${SECRET}`, headers }),
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
export function streamed(chunks: Iterator<Uint8Array>) {
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
