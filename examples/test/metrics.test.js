import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { safeParseDepositReceived } from 'payment-notifications';
import { depositReceivedBody } from 'payment-notifications/testing';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
// Exports when it is told to: the interval is a day.
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 86_400_000 });
const provider = new MeterProvider({ readers: [reader] });

before(() => metrics.setGlobalMeterProvider(provider));
after(() => provider.shutdown());

/** 5,000 bodies, each with a field of an invented name, every tenth with faults. */
const BODIES = Array.from({ length: 5000 }, (_, n) => {
  const faulty = n % 10 === 9 ? { settlementAmount: undefined, paymentId: 'x' } : {};
  const body = depositReceivedBody(
    { rateType: /** @type {any} */ ('CAPPED'), ...faulty },
    { seed: n },
  );
  return body.replace('{', `{"invented${n}":1,`);
});

test('faults are counted by code and documented field, whatever names a body invents', async () => {
  const { countFaults } = await import('../metrics/count-faults.js');
  for (const body of BODIES) countFaults(safeParseDepositReceived(body));
  await provider.forceFlush();
  const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
  const series = all
    .flatMap((scope) => scope.metrics)
    .flatMap(({ dataPoints }) =>
      dataPoints.map(({ attributes, value }) => ({ attributes, sum: Number(value) })),
    );
  assert.deepEqual(
    series.sort((one, other) => other.sum - one.sum),
    [
      { attributes: { outcome: 'warning', code: 'unknown_value', field: 'rateType' }, sum: 4500 },
      { attributes: { outcome: 'additional' }, sum: 4500 },
      { attributes: { outcome: 'refused', code: 'invalid_id', field: 'paymentId' }, sum: 500 },
      {
        attributes: { outcome: 'refused', code: 'missing_field', field: 'settlementAmount' },
        sum: 500,
      },
    ],
  );
});
