import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import {
  announcementOf,
  bodyOf,
  type Event,
  inspectionOf,
  MAX_BYTES,
  next,
  START,
  type State,
} from '../../inspector/state.js';
import { OUTCOMES } from '../inspect/outcomes.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const shownAfter = (...events: Event[]): State => events.reduce(next, START);
const given = (text: string): State => shownAfter({ type: 'given', text });
const opened = (bytes: Uint8Array) => shownAfter({ type: 'opened', name: 'a.json', bytes });
const said = (state: State) => bodyOf(state)?.summary ?? '';
const deposits = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    deposit({ clientPaymentId: `"order-${index}"`, depositId: `"${id(index)}"` }),
  );
const id = (index: number) => `0b0f1f0e-9d0c-4f9e-8d4a-${String(index).padStart(12, '0')}`;

const ARRIVED = /^Order order-10042: 0\.01523 BTC arrived, worth 950\.25 EUR, exactly what/;

describe('a text', () => {
  const line = deposit();

  test.each([
    ['alone', `\n ${line}\n`, ''],
    ['in a line of a log', `10:00 INFO body=${line} status=200`, 'taken out of the text'],
    ['in a string', JSON.stringify({ body: line }), 'taken out of a string'],
  ])('is a body, or has one: %s', (_, text, place) => {
    const state = given(text);
    expect(state.text).toBe(text);
    expect(said(state)).toMatch(ARRIVED);
    expect(bodyOf(state)).toMatchObject({ outcome: 'good', relation: null, place });
  });

  test.each([
    ['The customer says he paid.', 'plain text'],
    ['He paid.\nHe says.', '2 lines of text'],
    ['10:00 INFO started\n10:01 INFO {"level":"info"} done', '2 lines of text'],
    ['{"level":"info"}\n{"level":"warn"}', '2 lines of text'],
    ['{"level":"info"}\n{"level":"wa', '2 lines of text'],
    ['[2026-03-01 10:00] INFO started', 'plain text'],
    ['<!doctype html><html><h1>502 Bad Gateway</h1></html>', 'an HTML page'],
    ['0b0f3c1e-6d1b-4d7a-9f0e-2f1f6c1d5a11', 'a UUID alone'],
    [Buffer.from(line).toString('base64'), 'base64 text. Decode it first'],
  ])('without a body says what it looks like: %s', (text, likeness) => {
    expect(given(text).reading).toStrictEqual({ kind: 'other', likeness });
  });

  test.each([
    '{',
    '{}',
    '[',
    '[{"a": 1}]',
    `[${line}]`,
    JSON.stringify(line),
    '[object Object]',
    '"text"',
    '42',
    line.slice(0, 90),
    `{"level":"info","body":${line}}`,
    line.padEnd(65_537),
    `{"extra":[${`${line},`.repeat(100)}`.slice(0, 65_537),
  ])('that was meant to be a body is refused: %.60s', (text) => {
    expect(bodyOf(given(text))?.outcome).toBe('bad');
    expect(said(given(text))).toMatch(/should answer 4(?:00|13) and store|inspect it alone/);
  });

  test('is judged as inspectBody does', () => {
    const samples = fixtures.map(({ body }) => body.toString());
    for (const text of [...OUTCOMES.map(([, body]) => body), ...samples]) {
      const state = given(text);
      if (state.reading.kind !== 'bodies') continue;
      expect(inspectionOf(state)).toStrictEqual(inspectBody(text));
      const { outcome, summary } = inspectBody(text);
      expect(bodyOf(state)).toMatchObject({ outcome, summary });
    }
  });

  test.each(['', ' \n\t'])('is nothing: %j', (text) => {
    expect(given(text).reading).toStrictEqual({ kind: 'nothing' });
  });

  test('replaces what was there, and forgets the line that was picked', () => {
    const list = deposits(3).join('\n');
    const state = shownAfter(
      { type: 'given', text: list },
      { type: 'picked', index: 2 },
      { type: 'given', text: line },
    );
    expect(state).toStrictEqual(given(line));
  });

  test('is read, but not put into the box, if it is long or has many lines', () => {
    for (const text of ['x'.repeat(300_000), 'x\n'.repeat(100_000)]) {
      expect(given(text)).toMatchObject({ text: '', reading: { kind: 'other' } });
      expect(given(text).notice).toMatch(/^0\.[23] MB in [\d,]+ lines?, too long for this box\.$/);
    }
  });

  test('is not read beyond 1 MB', () => {
    expect(given('x'.repeat(MAX_BYTES + 1))).toStrictEqual({
      ...START,
      notice:
        'The text was not read: it has 1.0 MB, and this page reads at most 1 MB. Use: npx payment-notifications inspect FILE',
    });
  });
});

describe('several bodies', () => {
  test('are a list, of which the first is shown, then the one that is picked', () => {
    const state = given(`at,what\n${deposits(2).join('\n')}\n\n${withdrawal()}\n`);
    expect(state.reading).toMatchObject({
      kind: 'bodies',
      bodies: [{ line: 2 }, { line: 3 }, { line: 5 }],
      more: 0,
      otherLines: 1,
    });
    expect(said(state)).toMatch(/^Order order-0:/);
    expect(said(next(state, { type: 'picked', index: 2 }))).toMatch(/^Withdrawal /);
  });

  test('are for review if they contradict each other', () => {
    const other = deposit({ settlementAmount: '1' });
    const failed = withdrawal({ status: '"FAILED"' });
    const { reading } = given([deposit(), deposit(), other, withdrawal() + failed].join('\n'));
    expect(reading).toMatchObject({
      bodies: [
        { outcome: 'review', relation: { text: 'contradicts line 3' } },
        { outcome: 'review', relation: { text: 'contradicts line 3' } },
        { outcome: 'review', relation: { text: 'contradicts line 1' } },
        { outcome: 'review', relation: { text: 'contradicts another body of this line' } },
        { outcome: 'review', relation: { text: 'contradicts another body of this line' } },
      ],
    });
  });

  test('may report an event once more', () => {
    const { reading } = given([deposit(), 'started', '', deposit()].join('\n'));
    expect(reading).toMatchObject({
      bodies: [
        { line: 1, outcome: 'good', relation: null },
        { line: 4, outcome: 'good', relation: { kind: 'repeats', text: 'same event as line 1' } },
      ],
    });
  });

  test.each([
    ['[', ',', ']', 0],
    ['', '{}', 'started', 2],
  ])('leave the lines of a list out, but not other ones: %j', (before, between, after, others) => {
    const [one, other] = deposits(2);
    const { reading } = given([before, one, between, other, after].join('\n'));
    expect(reading).toMatchObject({ otherLines: others });
  });

  test('beyond 500 are counted', () => {
    const { reading } = given(deposits(502).join('\n'));
    expect(reading).toMatchObject({ kind: 'bodies', more: 2 });
    expect(reading.kind === 'bodies' && reading.bodies).toHaveLength(500);
  });
});

describe('a file', () => {
  test('is read as text, and a byte-order mark is none of it', () => {
    const state = opened(Buffer.from(`\ufeff${deposit()}`));
    expect(state.notice).toBe('a.json.');
    expect(said(state)).toMatch(ARRIVED);
  });

  test('of other bytes is a refused body', () => {
    const state = opened(Uint8Array.of(0x7b, 0xff));
    expect(state).toMatchObject({ text: '', notice: 'a.json. Its bytes are not UTF-8.' });
    expect(said(state)).toContain('2 bytes that are not UTF-8');
  });

  test.each([
    [opened(Uint8Array.of()), 'a.json is empty: it has 0 bytes.'],
    [
      shownAfter({ type: 'unopened', name: 'a', size: 2_340_000 }),
      'a was not read: it has 2.3 MB, and',
    ],
    [shownAfter({ type: 'unopened', name: 'a', size: 10 }), 'a could not be read.'],
  ])('that is not read says why: %#', (state, notice) => {
    expect(state).toMatchObject({ text: '', reading: { kind: 'nothing' } });
    expect(state.notice).toContain(notice);
  });
});

test('a sample says that it is one, until its text is edited', () => {
  const state = shownAfter({ type: 'sampled', text: deposit() });
  expect(state.isSample).toBe(true);
  expect(next(state, { type: 'given', text: `${deposit()} ` }).isSample).toBe(false);
});

test('what was copied is said until something else is shown', () => {
  const list = given(deposits(2).join('\n'));
  const copied = next(list, { type: 'copied', what: 'depositId', isDone: true });
  expect(announcementOf(copied)).toBe('depositId: copied');
  const failed = next(list, { type: 'copied', what: 'depositId', isDone: false });
  expect(announcementOf(failed)).toBe('depositId: not copied');
  expect(next(copied, { type: 'picked', index: 1 }).copied).toBeNull();
});

test('an event is announced by what it led to', () => {
  expect(announcementOf(START)).toBe('');
  expect(announcementOf(given(deposit()))).toMatch(/^good: Order order-10042:/);
  expect(announcementOf(given(deposits(2).join('\n')))).toBe('2 bodies');
  expect(announcementOf(given('hello'))).toBe('No callback body was found in this text.');
  expect(announcementOf(opened(Buffer.from('{}')))).toMatch(/^a\.json\. bad: The body is refused/);
});

test('Clear forgets everything', () => {
  expect(next(given(deposits(3).join('\n')), { type: 'cleared' })).toStrictEqual(START);
});
