import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { DEPOSIT_REVIEWS, WITHDRAWAL_REVIEWS } from '../../src/inspect/outcome.js';
import { OUTCOMES } from './outcomes.js';

test.each(OUTCOMES)('%s: %s is %s', (_, body, outcome) => {
  const inspection = inspectBody(body);
  expect(inspection.outcome).toBe(outcome);
  // The sentence never asks for a review of what is good.
  if (outcome === 'good') expect(inspection.summary).not.toMatch(/Review|review/);
});

test('every rule has a name that a page can show', () => {
  const names = [...Object.keys(DEPOSIT_REVIEWS), ...Object.keys(WITHDRAWAL_REVIEWS)];
  expect(names).toHaveLength(7);
});
