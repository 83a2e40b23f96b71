// A merchant who hands the contract to a tool that reads Standard JSON Schema.
import type { DepositReceived } from 'payment-notifications';
import { DepositReceivedSchema, NotificationSchema } from 'payment-notifications/json-schema';

export function describeDeposit(): Record<string, unknown> {
  return DepositReceivedSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
}

export async function read(body: unknown): Promise<DepositReceived | null> {
  const result = await NotificationSchema['~standard'].validate(body);
  if (result.issues) return null;
  return result.value.type === 'deposit.received' ? result.value : null;
}
