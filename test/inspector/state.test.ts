import { inspectBody } from 'payment-notifications/inspect';
import { expect, test } from 'vitest';
import { announcementOf, type Event, next, START, type State } from '../../inspector/state.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const after = (...events: Event[]): State => events.reduce(next, START);
const given = (text: string): State => after({ type: 'given', text });
const opened = (bytes: Uint8Array) => after({ type: 'opened', name: 'a.json', bytes });

const MAX_BYTES = 65_536;
const latin1 = Buffer.from(deposit({ network: '"\u00ff"' }), 'latin1');

test.each<[what: string, state: State, text: string, body: string | Uint8Array, notice: string]>([
  ['a text', given(deposit()), deposit(), deposit(), ''],
  ['a text with white space around it', given('\n{}\n'), '\n{}\n', '{}', ''],
  ['other text', given('He says he paid.'), 'He says he paid.', 'He says he paid.', ''],
  [
    'a text that is too long',
    given('x'.repeat(MAX_BYTES + 1)),
    '',
    'x'.repeat(MAX_BYTES + 1),
    '65,537 characters, too long for this box.',
  ],
  [
    'a text of too many lines',
    given('\n'.repeat(5000)),
    '',
    '\n'.repeat(5000),
    '5,000 characters, too long for this box.',
  ],
  ['a file', opened(Buffer.from(withdrawal())), withdrawal(), withdrawal(), 'a.json.'],
  ['an empty file', opened(Buffer.alloc(0)), '', '', 'a.json.'],
  [
    'a file with two byte-order marks',
    opened(Buffer.from(`\uFEFF\uFEFF${deposit()}`)),
    `\uFEFF\uFEFF${deposit()}`,
    `\uFEFF\uFEFF${deposit()}`,
    'a.json.',
  ],
  [
    'the start of a file that is too long',
    opened(Buffer.alloc(MAX_BYTES + 1, 'x')),
    '',
    Buffer.alloc(MAX_BYTES + 1, 'x'),
    'a.json. 65,537 characters, too long for this box.',
  ],
  ['a file of other bytes', opened(latin1), '', latin1, 'a.json. Its bytes are not UTF-8.'],
])('%s is shown, and judged as an endpoint does', (_, state, text, body, notice) => {
  const inspection = { ...inspectBody(body), jsonFault: state.inspection?.jsonFault };
  expect(state).toStrictEqual({ ...START, text, notice, inspection });
});

test.each<[what: string, state: State]>([
  ['at the start', START],
  ['after nothing was typed', given('')],
  ['once it is cleared', next(given(deposit()), { type: 'cleared' })],
])('nothing is shown %s', (_, state) => {
  expect(state).toStrictEqual(START);
});

test('a file that can not be read is told of', () => {
  const state = next(given(deposit()), { type: 'unopened', name: 'a' });
  expect(state).toStrictEqual({ ...START, notice: 'a could not be read.' });
});

test('a sample is one until it is changed', () => {
  const sample = after({ type: 'sampled', text: deposit() });
  expect(sample).toStrictEqual({ ...given(deposit()), isSample: true });
  expect(next(sample, { type: 'given', text: '{}' }).isSample).toBe(false);
});

test('what was copied is said until something else is shown', () => {
  const copied = after(
    { type: 'given', text: deposit() },
    { type: 'copied', what: 'depositId', isDone: true },
  );
  expect(announcementOf(copied)).toBe('depositId: copied');
  const failed = next(copied, { type: 'copied', what: 'depositId', isDone: false });
  expect(announcementOf(failed)).toBe('depositId: not copied');
  expect(announcementOf(next(copied, { type: 'given', text: '{}' }))).toMatch(/^refused: The body/);
});

test('an event is announced by what it led to', () => {
  expect(announcementOf(START)).toBe('');
  expect(announcementOf(given(deposit()))).toMatch(/^good: Order order-10042: /);
  expect(announcementOf(opened(Buffer.from('{}')))).toMatch(/^a\.json\. refused: The body is /);
});
