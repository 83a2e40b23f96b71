import { readFileSync } from 'node:fs';
import { type JsonSchema, moveRefs } from './json-schema.js';
import { acceptedSchema, type BodyName, documentedSchema } from './wire.js';

const ROOT = new URL('../../', import.meta.url);

/** What the package recommends to answer. */
const RESPONSES = {
  200: { description: 'Settled now, or before. It stops the retries.' },
  400: {
    description:
      'Refused by the parser; the raw body is kept. The service sends a deposit again every 2 minutes for up to 24 hours: time to find out why.',
    content: {
      'application/json': {
        schema: {
          type: 'array',
          description: 'The codes of what is wrong with the body.',
          items: { type: 'string' },
        },
        example: ['missing_field'],
      },
    },
  },
  500: {
    description: 'Nothing is wrong with the body: the database is down, say. The service retries.',
  },
};

const METHOD =
  'The service documents neither the method nor the headers of a callback: POST and application/json are assumptions.';
const TOLERANCE =
  'A gateway that validates bodies must let through whatever is accepted: what it refuses is a deposit that is not credited.';

/** The OpenAPI description of both callbacks. It refers to no other file. */
export function openapi(): JsonSchema {
  const { version, license } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Callbacks of a crypto payment service',
      summary: 'What a merchant’s endpoints receive, and what they should answer.',
      description: `Written by \`npm run schemas\` of the package payment-notifications. ${METHOD}`,
      version,
      license: { name: license, identifier: license },
    },
    servers: [
      { url: '/', description: 'Yours: the service calls the addresses that you set there.' },
    ],
    // How a callback is authenticated is undocumented.
    security: [],
    webhooks: {
      depositReceived: callback({
        name: 'deposit-received',
        operationId: 'receiveDeposit',
        summary: 'A deposit arrived',
        description:
          'Sent to depositReceivedCallbackUrl when the transaction of a deposit is in a block and has 1 confirmation. Repeated every 2 minutes for up to 24 hours until a delivery succeeds.',
        examples: {
          sample: 'As in the service’s own sample: amounts as numbers, some as strings',
          'all-amounts-as-strings': 'Every amount as a string',
          'required-only': 'Only the required fields',
        },
      }),
      withdrawalBroadcast: callback({
        name: 'withdrawal-broadcast',
        operationId: 'receiveWithdrawal',
        summary: 'A withdrawal finished',
        description:
          'Sent to withdrawalCallbackUrl when a withdrawal has completed or failed, or was blocked. Whether it is repeated is undocumented.',
        examples: {
          sample: 'Completed, amounts as strings',
          'amounts-as-numbers': 'Completed, amounts as numbers',
          'deduced-spelling': 'With the other spelling of deductedSettlementAmount',
          failed: 'Failed',
          blocked: 'Blocked',
        },
      }),
    },
    components: { schemas: components() },
  };
}

/** The names of each body's schemas: as documented, and as accepted. */
const BODIES: Readonly<Record<BodyName, readonly [documented: string, accepted: string]>> = {
  'deposit-received': ['DepositReceived', 'DepositReceivedAccepted'],
  'withdrawal-broadcast': ['WithdrawalBroadcast', 'WithdrawalBroadcastAccepted'],
};

interface Callback {
  readonly name: BodyName;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** What is special about a fixture, by its name. */
  readonly examples: Readonly<Record<string, string>>;
}

function callback({ name, operationId, summary, description, examples }: Callback): JsonSchema {
  const [documented, accepted] = BODIES[name];
  return {
    post: {
      operationId,
      summary,
      description,
      requestBody: {
        description: TOLERANCE,
        required: true,
        content: {
          'application/json': {
            // Every documented body is accepted, so this accepts what the second schema does; the first
            // tells generators and readers what to expect.
            schema: { anyOf: [component(documented), component(accepted)] },
            examples: Object.fromEntries(
              Object.entries(examples).map(([fixture, text]) => [
                fixture,
                { summary: text, value: readFixture(`${name}/${fixture}`) },
              ]),
            ),
          },
        },
      },
      responses: RESPONSES,
    },
  };
}

function component(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schemas of both bodies and what they refer to. */
function components(): JsonSchema {
  const schemas: Record<string, unknown> = {};
  const add = (name: string, schema: JsonSchema): void => {
    const { $schema: _, $comment: __, $defs, ...component } = schema;
    Object.assign(schemas, { [name]: component }, $defs);
  };
  for (const [name, [documented, accepted]] of Object.entries(BODIES)) {
    add(documented, documentedSchema(name as BodyName));
    add(accepted, acceptedSchema(name as BodyName));
  }
  return moveRefs(schemas, '#/components/schemas/');
}

function readFixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, ROOT), 'utf8'));
}
