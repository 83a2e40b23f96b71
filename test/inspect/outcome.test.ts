import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { judgeBody } from '../../src/inspect/judgement.js';
import { OUTCOMES } from './outcomes.js';

test.each(OUTCOMES)('%s: %s is %s, because of %s', (_, body, outcome, ...reasons) => {
  const { summary, ...inspection } = inspectBody(body);
  expect(inspection.outcome).toBe(outcome);
  const { judgement, checks } = judgeBody(body, null);
  expect(judgement).toMatchObject({ outcome, summary });
  expect(checks).toStrictEqual(reasons);
});
