import {
  createReceiver,
  type LogEntry,
  NeedsReview,
  type ReceiverOptions,
  type VerifyInput,
  type WebRequest,
  type WebResponse,
} from 'payment-notifications/receiver';
import { createStore, type Place, type Store, type WaitingBody } from 'payment-notifications/store';

declare const request: WebRequest, environment: Record<string, string | undefined>;

const store: Store = createStore('/var/lib/webhooks');
const entries: LogEntry[] = [];
const { receive, fetch, node, retry, settle, start, stop } = createReceiver({
  secret: environment.CALLBACK_SECRETS?.split(','),
  store,
  async onDepositReceived({ actualDepositAmount }, { key, body }) {
    const length: number = body.length;
    if (actualDepositAmount.gt(1)) throw new NeedsReview(`${key} ${length}`);
  },
  // With a synchronous driver.
  onWithdrawalBroadcast({ status }) {
    if (status !== 'COMPLETED') throw new NeedsReview(status);
  },
  success: { status: 202 },
  log: (entry) => entries.push(entry),
  verify: async ({ body, header }: VerifyInput) => header('x-signature') === `${body.length}`,
  timeoutMs: 10_000,
});
export const answers: [Promise<{ status: number; text: string }>, Promise<WebResponse>] = [
  receive({ body: '{}', url: '/callbacks', headers: { 'x-signature': '2' }, method: 'POST' }),
  fetch(request),
];
// No promise: a linter would report a handler that returns one.
export const sent = (...args: Parameters<typeof node>): void => node(...args);
start({ everyMs: 60_000 });
export const ended: Promise<void>[] = [retry(), stop()];
export const isSafe = async (): Promise<boolean> => (await settle('{}')) !== 'failed';

const places = new Map<string, Place>();
const waiting: WaitingBody = { name: 'name', place: 'retry', since: new Date(), tries: 0 };
export const own: Store = {
  async save({ to, name, body, key, reason, from }) {
    if (from && from.since < waiting.since) return false; // another process was first
    places.set(`${name} ${key?.length} ${reason} ${body.length}`, to);
    return;
  },
  list: async () => [waiting, { ...waiting, place: 'progress', tries: 1 }],
  read: async (name) => new Uint8Array(name.length),
  remove: async (name) => places.delete(name),
};

export const secrets: ReceiverOptions['secret'][] = [
  environment.CALLBACK_SECRET, // undefined, if it is missing
  ['the-old-secret-of-2025', 'the-new-secret-of-2026'] as const,
  null,
];
