import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createReceiver, NeedsReview } from 'payment-notifications/receiver';
import { createStore } from 'payment-notifications/store';
import { describe, expect, test } from 'vitest';
import { DEPOSIT } from '../receiver/setup.js';
import { PLACES, temporaryFolder } from './setup.js';

const { folder, pathOf, state, leave } = temporaryFolder();

const digestOf = (body: string) => createHash('sha256').update(body).digest('hex').slice(0, 16);
const NAME = `deposit.received.${JSON.parse(DEPOSIT).depositId}.${digestOf(DEPOSIT)}`;

const HALF = DEPOSIT.slice(0, 99);
const EMPTY = '';
/** A disk may have the length of a file before it has its bytes. */
const ZEROS = '\0'.repeat(DEPOSIT.length);

/** Files, each with its text. Those with a time are as old, in minutes; the others an hour. */
type State = Readonly<Record<string, string | readonly [text: string, minutes: number]>>;

interface Row {
  /** What was done last, and what of it the disk has. */
  readonly cut: string;
  readonly state: State;
  /** How often the function is called. */
  readonly calls: number;
  readonly left: Readonly<Record<string, unknown>>;
}

const settled = (cut: string, state: State): Row => ({ cut, state, calls: 1, left: {} });
const waits = (cut: string, state: State, left: Row['left']): Row => ({
  cut,
  state,
  calls: 0,
  left,
});

const damaged = expect.stringMatching(/^half written, and shorter than its digest says: .+\n$/);
const refused = (body: string) => ({ 'review.json': body, 'review.txt': damaged });
const [BODY, NO] = [DEPOSIT, 'no\n'];

// The steps are those of src/store/folder.ts.
const ROWS: Row[] = [
  // 1. A body is written to `progress`, and synced with its folder.
  waits('1: nothing', {}, {}),
  waits('1: the name', { 'progress.json': EMPTY }, refused(EMPTY)),
  waits('1: the length', { 'progress.json': ZEROS }, refused(ZEROS)),
  waits('1: half of the bytes', { 'progress.json': HALF }, refused(HALF)),
  settled('1: all of it, before its function is called', { 'progress.json': BODY }),
  settled('1: it was in retry, and not removed there', {
    'progress.json': BODY,
    'retry.json': BODY,
  }),
  settled('1: all of it, and half of it in retry', { 'progress.json': BODY, 'retry.json': HALF }),
  settled('1: half of it, and it was in retry', { 'progress.json': HALF, 'retry.json': BODY }),
  waits(
    '1: half of it, and it is in review',
    { 'progress.json': HALF, 'review.json': BODY },
    { 'review.json': BODY, 'review.txt': damaged },
  ),
  settled('1: all of it, and it was in review', {
    'progress.json': BODY,
    'review.json': BODY,
    'review.txt': NO,
  }),
  settled('1: all of it, and half of it in review', { 'progress.json': BODY, 'review.json': HALF }),
  // 2. It is removed, or renamed to `retry` or `review`, without a sync.
  settled('2: not that it was removed', {
    'progress.json': BODY,
    'progress.txt': 'in progress, try 1\n',
  }),
  settled('2: not that its text was removed in retry', { 'progress.json': BODY, 'retry.txt': NO }),
  waits('2: that it was removed', {}, {}),
  settled('2: that it moved to retry', { 'retry.json': BODY }),
  settled('2: that it moved to retry, and its reason', { 'retry.json': BODY, 'retry.txt': NO }),
  settled('2: not that it moved, but its reason', { 'progress.json': BODY, 'retry.txt': NO }),
  settled('2: that it moved, not that its claim ended', {
    'retry.json': BODY,
    'progress.txt': 'in progress, try 2\n',
  }),
  waits('2: that it moved to review', { 'review.json': BODY }, { 'review.json': BODY }),
  settled('2: not that it moved to review', { 'progress.json': BODY, 'review.txt': NO }),
  settled('2: not that it moved from retry to review', { 'retry.json': BODY, 'review.txt': NO }),
  settled('2: that it is in retry and review', { 'retry.json': BODY, 'review.json': BODY }),
  settled('2: everywhere', { 'progress.json': BODY, 'retry.json': BODY, 'review.json': BODY }),
  // 3. A round renames it from `retry` to `progress`.
  settled('3: the claim, not that it moved', {
    'retry.json': BODY,
    'retry.txt': NO,
    'progress.txt': 'in progress, try 1\n',
  }),
  settled('3: that it moved, and the claim', {
    'progress.json': [BODY, 90],
    'retry.txt': NO,
    'progress.txt': 'in progress, try 1\n',
  }),
  // 4. A `.txt` file is written, without a sync.
  settled('4: that it moved, not the claim', { 'progress.json': BODY, 'retry.txt': NO }),
  settled('4: an earlier claim', {
    'progress.json': BODY,
    'progress.txt': ['in progress, try 1\n', 90],
  }),
  settled('4: an empty claim', { 'progress.json': [BODY, 90], 'progress.txt': EMPTY }),
  settled('4: half of a claim', { 'progress.json': [BODY, 90], 'progress.txt': 'in prog' }),
  settled('4: an empty reason', { 'retry.json': [BODY, 90], 'retry.txt': EMPTY }),
  settled('4: the second try', {
    'progress.json': [BODY, 90],
    'progress.txt': 'in progress, try 2\n',
  }),
  waits(
    '4: the third try',
    { 'progress.json': [BODY, 90], 'progress.txt': 'in progress, try 3\n' },
    {
      'review.json': BODY,
      'review.txt': 'its function ended the process three times\n',
    },
  ),
  waits(
    '4: a claim that still holds',
    { 'progress.json': BODY, 'progress.txt': ['in progress, try 1\n', 0] },
    {
      'progress.json': BODY,
      'progress.txt': 'in progress, try 1\n',
    },
  ),
  waits(
    '4: a claim that still holds, of a body that is in retry as well',
    { 'progress.json': [BODY, 0], 'retry.json': BODY },
    {
      'progress.json': BODY,
      'retry.json': BODY,
    },
  ),
  settled('4: a claim of a clock that was wrong', {
    'progress.json': BODY,
    'progress.txt': ['in progress, try 1\n', -60],
  }),
  // 5. A refused body is written to `review`.
  waits('5: half of it', { 'review.json': HALF }, { 'review.json': HALF }),
  waits('5: not its reason', { 'review.json': BODY }, { 'review.json': BODY }),
];

/** A receiver whose claims hold for ten minutes, so that no test depends on how long it takes. */
function open(run: () => void = () => {}) {
  const called = { count: 0 };
  const receiver = createReceiver({
    secret: null,
    verify: () => true,
    store: createStore(folder),
    timeoutMs: 600_000,
    log() {},
    async onDepositReceived() {
      called.count += 1;
      run();
    },
  });
  return { receiver, called };
}

function make(files: State) {
  createStore(folder);
  for (const [file, what] of Object.entries(files)) {
    const [text, minutes] = typeof what === 'string' ? [what, 60] : what;
    leave(pathOf(file, NAME), text, minutes);
  }
}

describe('a power cut leaves of step', () => {
  test.each(ROWS)('$cut', async ({ state: found, calls, left }) => {
    make(found);
    const { receiver, called } = open();
    for (const _ of ['this round', 'and another']) {
      await receiver.retry();
      expect(state(NAME)).toStrictEqual(left);
    }
    expect(called.count).toBe(calls);
  });

  test.each(ROWS.filter(({ calls }) => calls === 1))(
    '$cut: also if its function fails or refuses it first',
    async ({ state: found }) => {
      for (const error of [new Error('no'), new NeedsReview('no')]) {
        make(found);
        const { receiver } = open(() => {
          throw error;
        });
        await receiver.retry();
        const place =
          error instanceof NeedsReview || found['review.json'] === BODY ? 'review' : 'retry';
        const there = state(NAME);
        expect(there).toMatchObject({ [`${place}.json`]: BODY, [`${place}.txt`]: NO });
        expect(PLACES.filter((other) => there[`${other}.json`] === BODY)).toStrictEqual([place]);
        if (place === 'review')
          fs.renameSync(pathOf('review.json', NAME), pathOf('retry.json', NAME));
        const { receiver: next, called } = open();
        await next.retry();
        expect([called.count, state(NAME)]).toStrictEqual([1, {}]);
      }
    },
  );

  test.each(ROWS)(
    '$cut, and it is delivered again: settled, and in no place',
    async ({ state: found }) => {
      make(found);
      const { receiver, called } = open();
      expect(await receiver.receive({ body: DEPOSIT, url: '/' })).toMatchObject({ status: 200 });
      expect([called.count, state(NAME)]).toStrictEqual([1, {}]);
    },
  );
});
