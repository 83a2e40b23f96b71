import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { displayValue, formatDuration } from '../../src/inspect/display.js';
import { deposit, withdrawal } from '../sample-bodies.js';

test.each([
  [0, '0 s'],
  [250, 'less than 1 s'],
  [1000, '1 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [5_040_000, '84 min'],
  [7_140_000, '119 min'],
  [7_200_000, '2 h'],
  [169_200_000, '47 h'],
  [172_800_000, '2 days'],
])('%i ms are %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

test.each<[of: 'deposit' | 'withdrawal', name: string, wire: string, read: string]>([
  ['deposit', 'network', '"X"', 'X'],
  ['deposit', 'network', '""', 'no value'],
  ['deposit', 'rateType', '5', 'not read'],
  ['deposit', 'expirationTime', '1790003600.25', '2026-09-21 15:13:20.250 UTC'],
  ['deposit', 'extra', '[1, 2]', '[1,2]'],
  ['deposit', 'toTxAddress', '"r?dt=7"', 'r?dt=7'],
  ['deposit', 'extra', '"2026-09-21T15:13:20Z"', '2026-09-21T15:13:20Z'],
  ['withdrawal', 'toTxAddress', '"r?dt=7"', 'address r, tag 7'],
  ['withdrawal', 'toTxAddress', '"r"', 'address r'],
  ['withdrawal', 'txAddressOwner', '{"name":"x"}', 'name x'],
  ['withdrawal', 'txAddressOwner', '{"name":5}', 'not read'],
  ['withdrawal', 'txAddressOwner', '{}', 'no value'],
])('of a %s: %s, sent as %s, is read as %s', (of, name, wire, read) => {
  const body = of === 'deposit' ? deposit({ [name]: wire }) : withdrawal({ [name]: wire });
  const found = inspectBody(body).fields.filter((field) => field.name === name);
  const parts = found.flatMap(displayValue).map((part) => part.join(' ').trim());
  expect(parts.join(', ')).toBe(read);
});
