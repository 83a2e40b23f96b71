import type { LogEntry, ReceiverOptions, SavedBody, Store } from 'payment-notifications/receiver';

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

/** Options that record every call and what is saved or logged, some of them replaced. */
export function recording(options: Partial<ReceiverOptions> = {}) {
  const calls: unknown[][] = [];
  const record =
    (name: string) =>
    async (...args: unknown[]): Promise<void> => {
      calls.push([name, ...args]);
    };
  const { store } = memoryStore();
  const all: ReceiverOptions = {
    secret: null,
    onDepositReceived: (deposit, { key, body }) => record('deposit')(deposit.depositId, key, body),
    onWithdrawalBroadcast: (withdrawal, { key, body }) =>
      record('withdrawal')(withdrawal.withdrawalId, key, body),
    store: {
      ...store,
      async save(saved) {
        const { to, key, reason, body } = saved;
        calls.push(
          key === null && to === 'review' ? ['refused', reason, body] : [to, reason, key, body],
        );
        await store.save(saved);
      },
    },
    // What is saved says the rest.
    log: ({ outcome, key, message }: LogEntry) => {
      if (outcome === 'failed' || (outcome === 'warning' && key))
        calls.push([outcome, message, key]);
    },
    ...options,
  };
  return { calls, options: all };
}

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

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A request whose body comes in these chunks, and what becomes of it. */
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
