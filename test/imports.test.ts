import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => void vi.unstubAllGlobals());

/** What Jest's jsdom lacks. */
const MISSING = ['TextDecoder', 'TextEncoder', 'Request', 'Response', 'ReadableStream', 'fetch'];

test.each(['', '/valibot', '/receiver', '/store', '/inspect', '/testing'])(
  'payment-notifications%s can be imported where globals are missing',
  async (entry) => {
    for (const name of MISSING) vi.stubGlobal(name, undefined);
    vi.resetModules();
    expect(await import(`payment-notifications${entry}`)).toBeDefined();
  },
);

test('bytes without a TextDecoder are no fault of the body', async () => {
  vi.stubGlobal('TextDecoder', undefined);
  vi.resetModules();
  const { safeParseDepositReceived } = await import('payment-notifications');
  expect(safeParseDepositReceived('{}').success).toBe(false);
  expect(() => safeParseDepositReceived(Buffer.from('{}'))).toThrow(/TextDecoder/);
});
