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
    onRefused: (error, body) => record('refused')(error.message, body),
    onError: (error, body) => record('error')(String(error), body),
    warn: (line) => calls.push(['warn', line]),
    ...options,
  };
  return { calls, options: all };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
