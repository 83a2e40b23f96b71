import { expect, test } from 'vitest';
import { isNotificationError, notificationFromJSON, safeParseNotification } from '../src/index.js';
import { depositReceivedBody } from '../src/testing/index.js';

test('a worker gets the JSON of a notification or an error: neither can be cloned', () => {
  const { notification } = safeParseNotification(depositReceivedBody());
  expect(() => structuredClone(notification)).toThrow('could not be cloned');
  const json = structuredClone(JSON.stringify(notification));
  expect(notificationFromJSON(json)).toStrictEqual(notification);

  const { error } = safeParseNotification('{}');
  expect(isNotificationError(structuredClone(error))).toBe(false);
  expect(JSON.parse(JSON.stringify(error)).issues).toStrictEqual(
    error?.issues.map((issue) => JSON.parse(JSON.stringify(issue))),
  );
});
