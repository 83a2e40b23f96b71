import { expect, test } from 'vitest';
import { withoutDurations } from './command.js';
import { readSession, runSession } from './transcript.js';

test('the session on the page of the command is what happens', async () => {
  const session = readSession() ?? '';
  expect(session).toContain('$ payment-notifications inspect');
  expect(withoutDurations(session)).toBe(withoutDurations(await runSession()));
});
