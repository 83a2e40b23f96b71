import { metrics } from '@opentelemetry/api';

/** @import { PaymentNotification, ParseResult } from 'payment-notifications' */

const faults = metrics
  .getMeter('callbacks')
  .createCounter('callbacks.faults', { description: 'Faults of callback bodies' });

/**
 * Counts what a change of the service's contract would show in first: warnings, reasons to refuse, and
 * bodies with fields that aren't documented.
 *
 * Codes and paths come from lists of the package, so there are a few hundred series at most. Never count by
 * a name out of the body: 5,000 invented ones would fill the SDK's 2,000 series, and the faults that come
 * after them would be lost in the one that takes the rest.
 *
 * @param {ParseResult<PaymentNotification>} result
 */
export function countFaults({ notification, error }) {
  const outcome = error === undefined ? 'warning' : 'refused';
  for (const { code, path } of error?.issues ?? notification?.warnings ?? []) {
    faults.add(1, { outcome, code, field: path.join('.') || 'body' });
  }
  const additional = Object.keys(notification?.additionalFields ?? {});
  if (additional.length > 0) faults.add(1, { outcome: 'additional' });
}
