import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { type Action, announcementOf, next, START, type State } from '../../inspector/state.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const after = (...events: Action[]): State => events.reduce(next, START);
/** What is shown after a text was given, or a file opened. */
const shown = (body: string | Uint8Array) =>
  typeof body === 'string'
    ? after({ type: 'given', text: body })
    : after({ type: 'opened', name: 'a.json', bytes: body });

const LONG = 'x'.repeat(65_537);
const TOO_LONG = '65,537 characters, too long for this box.';
const latin1 = Buffer.from(deposit({ network: '"\u00ff"' }), 'latin1');

test.each<[what: string, body: string | Uint8Array, isInBox: boolean, notice: string]>([
  ['a text', deposit(), true, ''],
  ['a text with white space around it', '\n{}\n', true, ''],
  ['a text that is too long', LONG, false, TOO_LONG],
  ['a file', Buffer.from(withdrawal()), true, 'a.json.'],
  ['an empty file', Buffer.alloc(0), true, 'a.json.'],
  ['a file with two byte-order marks', Buffer.from(`\uFEFF\uFEFF${deposit()}`), true, 'a.json.'],
  ['the start of a file that is too long', Buffer.from(LONG), false, `a.json. ${TOO_LONG}`],
  ['a file of other bytes', latin1, false, 'a.json. Its bytes are not UTF-8.'],
])(
  '%s is judged as an endpoint does, and shown in the box if possible',
  (_, body, isInBox, notice) => {
    const text = isInBox ? String(body) : '';
    expect(shown(body)).toStrictEqual({ ...START, text, notice, inspection: inspectBody(body) });
  },
);

const given = shown(deposit());

test('what was shown before is gone', () => {
  expect(next(given, { type: 'given', text: '{}' })).toStrictEqual(shown('{}'));
  expect(next(given, { type: 'given', text: '' })).toStrictEqual(START);
  expect(next(given, { type: 'cleared' })).toStrictEqual(START);
});

test.each<[announced: RegExp, state: State]>([
  [/^$/, START],
  [/^good: Order order-10042: /, given],
  [/^a\.json\. refused: The body is /, shown(Buffer.from('{}'))],
  [/^x: copied$/, next(given, { type: 'copied', what: 'x', isDone: true })],
  [/^x: not copied$/, next(given, { type: 'copied', what: 'x', isDone: false })],
  // What was copied is said until something else is shown.
  [
    /^refused: The body/,
    after({ type: 'copied', what: 'x', isDone: true }, { type: 'given', text: '{}' }),
  ],
])('a screen reader says %s', (announced, state) => {
  expect(announcementOf(state)).toMatch(announced);
});
