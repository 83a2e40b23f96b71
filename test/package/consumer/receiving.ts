import {
  createReceiver,
  type LogEntry,
  NeedsReview,
  type ReceiverOptions,
  type WebRequest,
  type WebResponse,
} from 'payment-notifications/receiver';
import { createStore, type Store } from 'payment-notifications/store';

declare const request: WebRequest, environment: Record<string, string | undefined>;

const store: Store = createStore('webhooks');
const entries: LogEntry[] = [];
const { receive, fetch, node, retry, settle, start, stop } = createReceiver({
  secret: environment.CALLBACK_SECRETS?.split(','),
  store,
  async onDepositReceived({ actualDepositAmount }, { key, body }) {
    const length: number = body.length;
    if (actualDepositAmount.gt(1)) throw new NeedsReview(`${key} ${length}`);
  },
  async onWithdrawalBroadcast() {},
  success: { status: 202 },
  log: (entry) => entries.push(entry),
  verify: async ({ body, header }) => header('x-signature') === `${body.length}`,
  timeoutMs: 10_000,
});
export const answers: [Promise<{ status: number; text: string }>, Promise<WebResponse>] = [
  receive({ body: '{}', url: '/callbacks', headers: { 'x-signature': '2' }, method: 'POST' }),
  fetch(request),
];
export const status: Promise<number> = answers[1].then((response) => response.status);
// No promise: a linter would report a handler that returns one.
export const sent = (...args: Parameters<typeof node>): void => node(...args);
start({ everyMs: 60_000 });
export const ended: Promise<void>[] = [retry(), stop()];
export const isSafe = async (): Promise<boolean> => (await settle('{}')) !== 'failed';
export const own: Store = {
  save: async ({ to, name, body, key, reason }) => [to, name, body.length, key?.length, reason],
  list: async () => [{ name: 'name', place: 'retry' }],
  read: async (name) => new Uint8Array(name.length),
  remove: async () => {},
};

export const secrets: ReceiverOptions['secret'][] = [
  environment.CALLBACK_SECRET, // undefined, if it is missing
  ['the-old-secret-of-2025', 'the-new-secret-of-2026'] as const,
  null,
];
