import {
  createReceiver,
  type ReceiverOptions,
  type WebRequest,
  type WebResponse,
} from 'payment-notifications/receiver';
import { createSpool, type Spool } from 'payment-notifications/spool';

declare const request: WebRequest, environment: Record<string, string | undefined>;

const spool: Spool = createSpool('unsettled');
const { receive, fetch, node, settle } = createReceiver({
  secret: environment.CALLBACK_SECRETS?.split(','),
  async onDepositReceived({ actualDepositAmount }, { key, body }) {
    const length: number = body.length;
    if (actualDepositAmount.gt(1)) return { status: 200, text: `${key} ${length}` };
    return undefined;
  },
  async onWithdrawalBroadcast() {},
  onRefused: async (error, { body }) => void [error.issues, body],
  onError: async (error, { key, body }) => (body ? spool.save(body) : void [error, key?.length]),
  onWarning: ({ code, path }, { key }) => void [code, path, key.length],
  timeoutMs: 10_000,
});
export const answers: [Promise<{ status: number; text: string }>, Promise<WebResponse>] = [
  receive('{}', '/callbacks'),
  fetch(request),
];
export const status: Promise<number> = answers[1].then((response) => response.status);
// No promise: a linter would report a handler that returns one.
export const sent = (...args: Parameters<typeof node>): void => node(...args);
export const stop: () => Promise<void> = spool.start(settle, { everyMs: 1000, onError() {} });

export const secrets: ReceiverOptions['secret'][] = [
  environment.CALLBACK_SECRET, // undefined, if it is missing
  ['the-old-secret-of-2025', 'the-new-secret-of-2026'] as const,
  null,
];
