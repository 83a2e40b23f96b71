import { createReceiver, NeedsReview } from 'payment-notifications/receiver';
import { createStore } from 'payment-notifications/store';
import { describe, expect, test } from 'vitest';
import { DEPOSIT as BODY, fails, KEY, nameOf, OK } from '../receiver/setup.js';
import { temporaryFolder } from './setup.js';

const { folder, pathOf, state, leave } = temporaryFolder();
const NAME = nameOf(KEY, BODY);

const FILES = {
  ...{ progress: 'progress.json', claim: 'progress.txt' },
  ...{ retry: 'retry.json', error: 'retry.txt', review: 'review.json', reason: 'review.txt' },
};

/** Files, each with its text. Those with a time are as old, in minutes; the others an hour. */
type State = { readonly [file in keyof typeof FILES]?: string | readonly [string, number] };

interface Row {
  /** What was done last, and what of it the disk has. */
  readonly cut: string;
  readonly found: State;
  /** How often the function is called. */
  readonly calls: number;
  readonly left: { readonly [file in keyof typeof FILES]?: unknown };
}

const settled = (cut: string, found: State): Row => ({ cut, found, calls: 1, left: {} });
const waits = (cut: string, found: State, left: Row['left']): Row => ({
  ...{ cut, found, calls: 0, left },
});
const refused = (cut: string, body: string): Row =>
  waits(cut, { progress: body }, { review: body, reason: DAMAGED });

const DAMAGED = expect.stringMatching(/^half written, and shorter than its digest says: .+\n$/);
const ENDED = 'its function ended the process three times, or the store failed\n';
const HALF = BODY.slice(0, 99);
/** A disk may have the length of a file before it has its bytes. */
const ZEROS = '\0'.repeat(BODY.length);
const OLDER = [BODY, 90] as const;
const NO = 'no\n';
const [ONE, TWO, THREE] = ['in progress, try 1\n', 'in progress, try 2\n', 'in progress, try 3\n'];
const FRESH = [ONE, 0] as const;

// The steps are those of src/store/folder.ts.
const ROWS: Row[] = [
  // 1. A body is written to `progress`, and synced with its folder.
  waits('1: nothing', {}, {}),
  refused('1: the name', ''),
  refused('1: the length', ZEROS),
  settled('1: all of it, before its function is called', { progress: BODY }),
  settled('1: it was in retry, and not removed there', { progress: BODY, retry: BODY }),
  settled('1: all of it, and half of it in retry', { progress: BODY, retry: HALF }),
  settled('1: half of it, and it was in retry', { progress: HALF, retry: BODY }),
  waits(
    '1: half of it, and it is in review',
    { progress: HALF, review: BODY, reason: NO },
    { review: BODY, reason: NO },
  ),
  settled('1: all of it, and it was in review', { progress: BODY, review: BODY, reason: NO }),
  settled('1: all of it, and half of it in review', { progress: BODY, review: HALF }),
  // 2. It is removed, or renamed to `retry` or `review`, without a sync.
  settled('2: that it moved to retry', { retry: BODY }),
  settled('2: not that it moved, but its reason', { progress: BODY, error: NO }),
  settled('2: that it moved, not that its claim ended', { retry: BODY, claim: TWO }),
  waits('2: that it moved to review', { review: BODY }, { review: BODY }),
  settled('2: not that it moved to review', { progress: BODY, reason: NO }),
  settled('2: that it is in retry and review', { retry: BODY, review: BODY }),
  settled('2: everywhere', { progress: BODY, retry: BODY, review: BODY }),
  // 3. A round renames it from `retry` to `progress`.
  settled('3: the claim, not that it moved', { retry: BODY, error: NO, claim: ONE }),
  settled('3: that it moved, and the claim', { progress: OLDER, error: NO, claim: ONE }),
  // 4. A `.txt` file is written, without a sync.
  settled('4: an earlier claim', { progress: BODY, claim: [ONE, 90] }),
  settled('4: half of a claim', { progress: OLDER, claim: 'in prog' }),
  settled('4: the second try', { progress: OLDER, claim: TWO }),
  waits('4: the third', { progress: OLDER, claim: THREE }, { review: BODY, reason: ENDED }),
  waits('4: a claim that holds', { progress: BODY, claim: FRESH }, { progress: BODY, claim: ONE }),
  waits(
    '4: a claim that holds, of a body that is in retry as well',
    { progress: [BODY, 0], retry: BODY },
    { progress: BODY, retry: BODY },
  ),
  settled('4: a claim of a clock that was wrong', { progress: BODY, claim: [ONE, -60] }),
  // 5. A refused body is written to `review`.
  waits('5: half of it', { review: HALF }, { review: HALF }),
];

/** A receiver whose claims hold for ten minutes, so that no test depends on how long it takes. */
function open(found: State, run: () => Promise<void> = async () => {}) {
  const store = createStore(folder);
  for (const [file, what] of Object.entries(found)) {
    const [text, minutes] = typeof what === 'string' ? [what, 60] : what;
    leave(pathOf(FILES[file as keyof State], NAME), text, minutes);
  }
  const called = { count: 0 };
  const receiver = createReceiver({
    ...{ secret: null, verify: () => true, store, timeoutMs: 600_000, log() {} },
    onDepositReceived() {
      called.count += 1;
      return run();
    },
  });
  return { receiver, called };
}

function expectLeft(left: Row['left']) {
  const entries = Object.entries(left).map(([file, text]) => [FILES[file as keyof State], text]);
  expect(state(NAME)).toStrictEqual(Object.fromEntries(entries));
}

describe('a power cut leaves of step', () => {
  test.each(ROWS)('$cut', async ({ found, calls, left }) => {
    const { receiver, called } = open(found);
    for (const _ of ['this round', 'and another']) {
      await receiver.retry();
      expectLeft(left);
    }
    expect(called.count).toBe(calls);
  });

  const CALLED = ROWS.filter(({ calls }) => calls === 1);
  test.each(CALLED)('$cut: for review, if its function says so', async ({ found }) => {
    await open(found, fails(new NeedsReview('no'))).receiver.retry();
    expectLeft({ review: BODY, reason: NO });
  });

  test.each(ROWS)(
    '$cut, and it is delivered again: settled, and in no place',
    async ({ found }) => {
      const { receiver, called } = open(found);
      expect(await receiver.receive({ body: BODY, url: '/' })).toStrictEqual(OK);
      expectLeft({});
      expect(called.count).toBe(1);
    },
  );
});
