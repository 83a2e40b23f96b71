import { createReceiver, type WebRequest, type WebResponse } from 'payment-notifications/receiver';

declare const request: WebRequest;

const { receive, fetch, node } = createReceiver({
  async onDepositReceived({ actualDepositAmount }, { key, body }) {
    const length: number = body.length;
    if (actualDepositAmount.gt(1)) return { status: 200, text: `${key} ${length}` };
    return undefined;
  },
  async onWithdrawalBroadcast() {},
  onRefused: async (error, body) => void [error.issues, body],
  onError: async (error, body) => void [error, body?.length],
});
export const answers: [Promise<{ status: number; text: string }>, Promise<WebResponse>] = [
  receive('{}'),
  fetch(request),
];
export const status: Promise<number> = answers[1].then((response) => response.status);
export const handler: (...args: Parameters<typeof node>) => Promise<void> = node;
