import type { ReceiverOptions } from 'payment-notifications/receiver';

/** Options that record every call, some of them replaced. */
export function recording(options: Partial<ReceiverOptions> = {}) {
  const calls: unknown[][] = [];
  const record =
    (name: string) =>
    async (...args: unknown[]): Promise<void> => {
      calls.push([name, ...args]);
    };
  const all: ReceiverOptions = {
    onDepositReceived: (deposit, { key, body }) => record('deposit')(deposit.depositId, key, body),
    onWithdrawalBroadcast: (withdrawal, { key, body }) =>
      record('withdrawal')(withdrawal.withdrawalId, key, body),
    secret: null,
    onRefused: (error, { body }) => record('refused')(error.message, body),
    onError: (error, { key, body }) => record('error')(String(error), key, body),
    onWarning: (issue, { key, body }) => calls.push(['warning', issue.message, key, body]),
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
