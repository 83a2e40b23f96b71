import { NotificationSchema } from 'payment-notifications';
import { DepositReceivedSchema } from 'payment-notifications/valibot';
import * as v from 'valibot';
import { depositBody } from './bodies.js';

// Any tool that takes a Standard Schema:
const result = await NotificationSchema['~standard'].validate(depositBody);
console.log(result.issues ?? result.value.type); // deposit.received

// Part of a valibot schema of yours:
const Job = v.object({ queue: v.literal('deposits'), body: DepositReceivedSchema });
const job = v.parse(Job, { queue: 'deposits', body: depositBody });
console.log(`${job.body.actualDepositAmount}`); // 0.123456789012345678
