import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';

const X = 'x'.repeat(40);

/** Line, column, and the text before and after the first error. */
test.each([
  ['hello, world, hello!', 1, 1, '', 'hello, world, hello!'],
  ['hello, worlds, hello!', 1, 1, '', 'hello, worlds, hello…'],
  ['{\n  "amount": 0,5\r\n}', 2, 15, '  "amount": 0,', '5'],
  ['{"a":tru', 1, 9, '{"a":tru', ''],
  ['\ufeff{x\u202e', 1, 2, '{', 'x\\u202e'],
  ['{"a":"\u202e\n"}', 1, 8, '{"a":"\\u202e', ''],
  [`{"name":"${X}"x,"b":2}`, 1, 51, `…${X.slice(1)}"`, 'x,"b":2}'],
])('%j breaks in line %i, column %i', (text, line, column, before, after) => {
  const { jsonFault } = inspectBody(text);
  expect(jsonFault).toStrictEqual({ line, column, before, after });
});

test('a body that is JSON, too large or not text has no such fault', () => {
  for (const body of ['[]', '{}', Uint8Array.of(0x7b, 0xff).buffer, ' '.repeat(70_000)]) {
    expect(inspectBody(body).jsonFault).toBeNull();
  }
});
