import { NotificationSchema } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';
import { DepositReceivedSchema } from 'payment-notifications/valibot';
import * as v from 'valibot';

const body = depositReceivedBody({ actualDepositAmount: '0.123456789012345678' });

// Any tool that takes a Standard Schema:
const result = await NotificationSchema['~standard'].validate(body);
console.log(result.issues ?? result.value.type); // deposit.received

// Part of a valibot schema of yours:
const Job = v.object({ queue: v.literal('deposits'), body: DepositReceivedSchema });
const job = v.parse(Job, { queue: 'deposits', body });
console.log(`${job.body.actualDepositAmount}`); // 0.123456789012345678
