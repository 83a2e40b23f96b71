import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import type { JsonSchema } from './json-schema.js';
import { acceptedSchema, documentedSchema } from './wire.js';

/**
 * The OpenAPI description of both callbacks, which refers to no other file. It is edited in
 * `schemas/openapi.json` itself; only the version, the examples' values and the components are generated.
 *
 * Each request body is `anyOf` the documented schema, for generators and readers, and the accepted one,
 * which also accepts every documented body. `security` is empty: authentication is undocumented.
 */
export function openapi(): JsonSchema {
  const openapi = readJson('schemas/openapi.json');
  openapi.info.version = readJson('package.json').version;
  const { depositReceived, withdrawalBroadcast } = openapi.webhooks;
  for (const { post } of [depositReceived, withdrawalBroadcast]) {
    const folder = post === depositReceived.post ? 'deposit-received' : 'withdrawal-broadcast';
    const { examples } = post.requestBody.content['application/json'];
    for (const name of Object.keys(examples)) {
      examples[name].value = JSON.parse(`${fixture(`${folder}/${name}`).body}`);
    }
  }
  openapi.components.schemas = components();
  return openapi;
}

/** The schemas of both bodies and the definitions that they share. */
function components(): JsonSchema {
  const bodies = {
    DepositReceived: documentedSchema('deposit-received'),
    DepositReceivedAccepted: acceptedSchema('deposit-received'),
    WithdrawalBroadcast: documentedSchema('withdrawal-broadcast'),
    WithdrawalBroadcastAccepted: acceptedSchema('withdrawal-broadcast'),
  };
  const schemas: Record<string, unknown> = {};
  for (const [name, { $schema: _, $comment: __, $defs, ...schema }] of Object.entries(bodies)) {
    Object.assign(schemas, { [name]: schema }, $defs);
  }
  return JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function readJson(path: string) {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
}
