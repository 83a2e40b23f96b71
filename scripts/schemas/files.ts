import type { JsonSchema } from './json-schema.js';
import { notificationSchema } from './notification.js';
import { openapi } from './openapi.js';
import { acceptedSchema, documentedSchema } from './wire.js';

export const FOLDER: URL = new URL('../../schemas/', import.meta.url);

const FILES: Readonly<Record<string, () => JsonSchema>> = {
  'deposit-received.schema.json': () => documentedSchema('deposit-received'),
  'deposit-received.accepted.schema.json': () => acceptedSchema('deposit-received'),
  'withdrawal-broadcast.schema.json': () => documentedSchema('withdrawal-broadcast'),
  'withdrawal-broadcast.accepted.schema.json': () => acceptedSchema('withdrawal-broadcast'),
  'notification.schema.json': notificationSchema,
  'openapi.json': openapi,
};

/** The text of every file in `schemas`, by its name. */
export function schemaFiles(): [name: string, text: string][] {
  return Object.entries(FILES).map(([name, make]) => [
    name,
    `${JSON.stringify(make(), null, 2)}\n`,
  ]);
}
