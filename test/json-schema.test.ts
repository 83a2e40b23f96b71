import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as root from 'payment-notifications';
import * as described from 'payment-notifications/json-schema';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { describe, expect, test } from 'vitest';
import { fixtures } from './fixtures.js';

const VALIDATORS = {
  'draft-2020-12': new Ajv2020({ strict: true }),
  'draft-07': new Ajv({ strict: true }),
};

const deposit = depositReceivedBody();
const withdrawal = withdrawalBroadcastBody();
const both = JSON.stringify({
  ...JSON.parse(withdrawal),
  depositId: JSON.parse(deposit).depositId,
});

const depositWithBoth = JSON.stringify({
  ...JSON.parse(deposit),
  withdrawalId: JSON.parse(withdrawal).withdrawalId,
});

describe.each([
  {
    name: 'DepositReceivedSchema',
    schema: described.DepositReceivedSchema,
    plain: root.DepositReceivedSchema,
    takes: [deposit],
    refuses: [withdrawal, both],
  },
  {
    name: 'WithdrawalBroadcastSchema',
    schema: described.WithdrawalBroadcastSchema,
    plain: root.WithdrawalBroadcastSchema,
    takes: [withdrawal, both],
    refuses: [deposit],
  },
  {
    name: 'NotificationSchema',
    schema: described.NotificationSchema,
    plain: root.NotificationSchema,
    takes: [deposit, withdrawal],
    refuses: [both, depositWithBoth],
  },
])('$name', ({ schema, plain, takes, refuses }) => {
  const { jsonSchema, ...standard } = schema['~standard'];

  test('validates as that of the root does', async () => {
    const { validate, vendor, version } = plain['~standard'];
    expect(standard).toStrictEqual({ vendor, version, validate: expect.any(Function) });
    for (const body of [...takes, ...refuses]) {
      expect(await standard.validate(body)).toStrictEqual(await validate(body));
    }
  });

  describe.each(['draft-2020-12', 'draft-07'] as const)('in %s', (target) => {
    const ajv = VALIDATORS[target];

    test('describes the bodies that it takes', async () => {
      const isBody = ajv.compile(jsonSchema.input({ target }));
      for (const body of takes) expect(isBody(JSON.parse(body))).toBe(true);
      for (const body of refuses) expect(isBody(JSON.parse(body))).toBe(false);
      const valid = fixtures.filter(({ expected }) => expected.notification !== undefined);
      for (const { name, body } of valid) {
        const value = JSON.parse(body.toString('utf8').replace('\uFEFF', ''));
        const { issues } = await standard.validate(value);
        expect(isBody(value), name).toBe(issues === undefined);
      }
    });

    test('describes the JSON of what it returns', () => {
      const isOutput = ajv.compile(jsonSchema.output({ target }));
      for (const body of [deposit, withdrawal]) {
        const { notification } = root.safeParseNotification(body);
        const isOwn = takes.some((other) => other === body);
        expect(isOutput(JSON.parse(JSON.stringify(notification)))).toBe(isOwn);
      }
    });

    test('gives a schema that may be changed', () => {
      const changed = jsonSchema.input({ target });
      changed.title = 'changed';
      Object.assign(changed.$defs ?? changed.definitions ?? {}, { Uuid: false });
      expect(jsonSchema.input({ target })).not.toMatchObject({ title: 'changed' });
      expect(JSON.stringify(jsonSchema.input({ target }))).not.toContain('"Uuid":false');
    });
  });

  test.each(['openapi-3.0', 'draft-04'])('has no schema for %s, and says so', (target) => {
    const message = `no JSON Schema for the target "${target}": expected "draft-2020-12" or "draft-07"`;
    expect(() => jsonSchema.input({ target })).toThrow(new TypeError(message));
    expect(() => jsonSchema.output({ target })).toThrow(new TypeError(message));
  });
});

test('a schema says what it describes, and in which draft', () => {
  const { input } = described.NotificationSchema['~standard'].jsonSchema;
  expect(input({ target: 'draft-2020-12' })).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Notification, accepted',
  });
  expect(input({ target: 'draft-07' })).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Notification, accepted',
  });
});
