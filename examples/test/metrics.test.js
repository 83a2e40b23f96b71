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

test('faults are counted by code and documented field, whatever names a body invents', async () => {
  const { countFaults } = await import('../metrics/count-faults.js');
  for (let seed = 0; seed < 10; seed += 1) {
    const fields = {
      rateType: /** @type {any} */ ('CAPPED'),
      ...(seed === 9 && { paymentId: 'x' }),
    };
    const body = depositReceivedBody(fields, { seed }).replace('{', `{"invented${seed}":1,`);
    countFaults(safeParseDepositReceived(body));
  }
  await provider.forceFlush();
  const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
  const series = scopes
    .flatMap((scope) => scope.metrics)
    .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => [value, attributes]));
  assert.deepEqual(series, [
    [9, { outcome: 'warning', code: 'unknown_value', field: 'rateType' }],
    [9, { outcome: 'additional' }],
    [1, { outcome: 'refused', code: 'invalid_id', field: 'paymentId' }],
  ]);
});
