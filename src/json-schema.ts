import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import acceptedDeposit from '../schemas/deposit-received.accepted.schema.json' with {
  type: 'json',
};
import notification from '../schemas/notification.schema.json' with { type: 'json' };
import acceptedWithdrawal from '../schemas/withdrawal-broadcast.accepted.schema.json' with {
  type: 'json',
};
import type { DepositReceived } from './deposit-received.js';
import type { PaymentNotification } from './notification.js';
import * as valibot from './valibot.js';
import type { WithdrawalBroadcast } from './withdrawal-broadcast.js';

// An entry of its own, because these schemas are larger than the parser.

/** A JSON Schema, or a part of one. */
type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The root's `DepositReceivedSchema`, with `~standard.jsonSchema` for tools that read Standard JSON Schema.
 *
 * `input` describes a parsed body that is accepted, `output` the JSON of the notification. Targets:
 * `draft-2020-12` and `draft-07`.
 *
 * @example
 * ```ts
 * DepositReceivedSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }).type; // 'object'
 * ```
 */
export const DepositReceivedSchema: StandardSchemaV1<unknown, DepositReceived> &
  StandardJSONSchemaV1<unknown, DepositReceived> = /* @__PURE__ */ withJsonSchema(
  valibot.DepositReceivedSchema,
  acceptedDeposit,
  /* @__PURE__ */ outputSchema('DepositReceived'),
);

/** The root's `WithdrawalBroadcastSchema` with `~standard.jsonSchema`, see {@link DepositReceivedSchema}. */
export const WithdrawalBroadcastSchema: StandardSchemaV1<unknown, WithdrawalBroadcast> &
  StandardJSONSchemaV1<unknown, WithdrawalBroadcast> = /* @__PURE__ */ withJsonSchema(
  valibot.WithdrawalBroadcastSchema,
  acceptedWithdrawal,
  /* @__PURE__ */ outputSchema('WithdrawalBroadcast'),
);

/** The root's `NotificationSchema`, likewise. Its input has the identifier of one notification only. */
export const NotificationSchema: StandardSchemaV1<unknown, PaymentNotification> &
  StandardJSONSchemaV1<unknown, PaymentNotification> = /* @__PURE__ */ withJsonSchema(
  valibot.NotificationSchema,
  /* @__PURE__ */ eitherBody(),
  notification,
);

function withJsonSchema<T>(
  schema: StandardSchemaV1<unknown, T>,
  input: JsonSchema,
  output: JsonSchema,
): StandardSchemaV1<unknown, T> & StandardJSONSchemaV1<unknown, T> {
  return {
    '~standard': {
      ...schema['~standard'],
      jsonSchema: {
        input: ({ target }) => toTarget(input, target),
        output: ({ target }) => toTarget(output, target),
      },
    },
  };
}

/** The schema of one notification's JSON. */
function outputSchema(name: 'DepositReceived' | 'WithdrawalBroadcast'): JsonSchema {
  const { $schema, $defs } = notification;
  return { $schema, $ref: `#/$defs/${name}`, $defs };
}

/** Either body, without the identifier by which the other is known. */
function eitherBody(): JsonSchema {
  const { $schema, $defs, ...deposit } = acceptedDeposit;
  const { $schema: _, $defs: others, ...withdrawal } = acceptedWithdrawal;
  const without = (id: string): JsonSchema => ({
    type: 'object',
    properties: { [id]: { enum: [null, ''] } },
  });
  return {
    $schema,
    title: 'Notification, accepted',
    anyOf: [
      { allOf: [deposit, without('withdrawalId')] },
      { allOf: [withdrawal, without('depositId')] },
    ],
    $defs: { ...$defs, ...others },
  };
}

/** A copy in the draft that was asked for. */
function toTarget(
  schema: JsonSchema,
  target: StandardJSONSchemaV1.Target,
): Record<string, unknown> {
  if (target === 'draft-2020-12') return structuredClone(schema);
  if (target === 'draft-07') {
    const { $schema: _, ...rest } = schema;
    return { $schema: 'http://json-schema.org/draft-07/schema#', ...toDraft07(rest) };
  }
  throw new TypeError(
    `no JSON Schema for the target "${target}": expected "draft-2020-12" or "draft-07"`,
  );
}

/** Definitions have another name in that draft, and it ignores whatever stands beside a `$ref`. */
function toDraft07({ $ref, $defs, ...others }: JsonSchema): Record<string, unknown> {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    return typeof value === 'object' && value !== null ? toDraft07(value as JsonSchema) : value;
  };
  return {
    ...Object.fromEntries(Object.entries(others).map(([key, value]) => [key, convert(value)])),
    ...(typeof $ref === 'string' && { allOf: [{ $ref: $ref.replace('$defs', 'definitions') }] }),
    ...($defs !== undefined && { definitions: convert($defs) }),
  };
}
