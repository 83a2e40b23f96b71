import { Ajv2020 } from 'ajv/dist/2020.js';
import accepted from 'payment-notifications/schemas/deposit-received.accepted.schema.json' with {
  type: 'json',
};
import documented from 'payment-notifications/schemas/deposit-received.schema.json' with {
  type: 'json',
};

const ajv = new Ajv2020();
const isAccepted = ajv.compile(accepted);
const isDocumented = ajv.compile(documented);

/** What the gateway does with a deposit's body, which it passes on unchanged. */
export function judge(rawBody: string): string {
  const body = JSON.parse(rawBody);
  if (!isAccepted(body)) return `400: ${ajv.errorsText(isAccepted.errors)}`;
  if (!isDocumented(body)) return `pass, warn: ${ajv.errorsText(isDocumented.errors)}`;
  return 'pass';
}
