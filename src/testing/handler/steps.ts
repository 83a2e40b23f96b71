import { safeParseNotification } from '../../parser/parse.js';
import { sleep } from '../deliver.js';
import { type FaultyBody, NOT_UTF_8 } from '../faults.js';
import { type Amounts, type Causes, causeOf, type Sent, textOf } from './causes.js';
import type { NewEvent, TestBody, TestEvent } from './events.js';
import { callOption, type DatabasePart, type HandlerTestsOptions } from './options.js';
import {
  add,
  book,
  changesIn,
  expectAnswer,
  expectChange,
  expectKept,
  failure,
  isAccepted,
  isDue,
  isFailed,
  isKept,
  type Patience,
  poll,
  post,
  prepare,
  read,
  type Trial,
  watch,
} from './trial.js';

/** Sends bodies, and checks that the handler treats them as a correct handler does. */
export interface Step {
  /** The bodies whose orders must be known before the first step. */
  readonly known: readonly TestBody[];
  readonly show: (trial: Trial) => Promise<void>;
}

/** A race starts no round after this time. With a slow database, a few rounds are enough. */
const RACE_MS = 5_000;

const LOST = 'The body is lost, or kept does not count it. Store it for review before you answer';
const BROKE_NOTHING =
  'Either breakDatabase broke nothing that the handler uses, or the money was committed before an error that was caught. Put the key and the money into one transaction';
const EARLY_COPY =
  'The key was committed, or is remembered, without the money: put both into one transaction. Or a copy was answered with success while another one was in progress, which then failed';
const ACCEPTED =
  'It was answered with success, but its money never came. Either an error was caught, or the answer came before the work, or a worker gave up. Let errors through, so that the answer is 500, or store the body first';
const NOT_FAILED =
  'A refusal may not be repeated. Let errors of the database through, so that the answer is 500';
const KEPT_REPEAT =
  'A plain repeat was kept for review. If the key is known with the same values, only return';
const NEW_ORDER: Causes = {
  change:
    'Either the key was inserted though the order was unknown, or it moves again once the order is known. Insert the key when you settle',
  answer: 'Either prepare does not insert the order, or it is remembered as unknown',
};
export const REPEATED =
  'The key is not checked, or depends on how the body is written, such as its capitals. Use idempotencyKey';
export const PARSER = 'The body is read without the parsers of this package. Use createReceiver';
const DECODED =
  'The bytes were decoded before they were parsed, such as by text += chunk, request.text() or express.text(). Pass the raw bytes';
const FAULTY = {
  change: PARSER,
  answer: 'Store a faulty body for review, and answer 400. If you answer with success, pass kept',
};

/** Runs the steps of a test, and checks at its end that nothing else has moved. */
export async function runSteps(
  options: HandlerTestsOptions,
  patience: Patience,
  steps: readonly Step[],
): Promise<void> {
  const trial: Trial = {
    options,
    patience,
    expected: new Map(),
    settled: new Map(),
    failed: new Set(),
    earlier: [],
    hasHeld: false,
  };
  const known = steps.flatMap((step) => step.known);
  const [error] = known.flatMap(({ body }) => safeParseNotification(body).error ?? []);
  if (error) {
    const { message } = error.issues[0];
    throw new TypeError(`deposit or withdrawal: expected fields of a valid body, but ${message}`);
  }
  const bodies = known.map((body) => read(body, options));
  await prepare(trial, bodies);
  await watch(trial, bodies);
  for (const { show } of steps) await show(trial);
  const changes = await changesIn(trial);
  if (changes.size === 0) return;
  const cause = 'Something moved after its answer. Look for work that is done twice';
  throw failure('all bodies of this test', 'no more changes', textOf(changes), cause);
}

/** Bodies that move what is due, or nothing if they are repeats. */
export function settles(
  label: string,
  body: TestBody | readonly TestBody[],
  causes: Causes = {},
  copies = 1,
): Step {
  return stepOf([body].flat(), async (trial, bodies) => {
    const exchange = await post(trial, { label, bodies, causes, copies });
    const isHeld = bodies.some(({ move }) => move === null);
    expectAnswer(trial, exchange, isHeld ? [2, 4] : [2]);
    await expectChange(trial, exchange);
    if (!exchange.isRepeat || !(await isKept(trial, exchange))) return;
    throw failure(exchange.name, 'nothing more kept for review', 'one more', KEPT_REPEAT);
  });
}

/** A body that moves what is due, or is kept for review. */
export function settlesOrKeeps(label: string, body: TestBody, causes: Causes): Step {
  return stepOf([body], (trial, bodies) =>
    expectSettledOrKept(trial, label, bodies, causes, false),
  );
}

/** A body that may be refused, or kept for review. Otherwise, it moves what the event moves. */
export function settlesOrRefuses(label: string, body: FaultyBody['body'], event: TestEvent): Step {
  return stepOf([event], (trial, bodies) => {
    const limits = bodies.map((one) => ({ ...one, body }));
    return expectSettledOrKept(trial, label, limits, PARSER, true);
  });
}

async function expectSettledOrKept(
  trial: Trial,
  label: string,
  bodies: readonly Sent[],
  causes: Causes,
  mayRefuse: boolean,
): Promise<void> {
  const exchange = await post(trial, { label, bodies, causes });
  expectAnswer(trial, exchange, [2, 4]);
  const isRefused = mayRefuse && !exchange.attempts.some(isAccepted);
  const mayStay = async (): Promise<boolean> => isRefused || isKept(trial, exchange);
  if (await expectChange(trial, exchange, mayStay)) return;
  trial.hasHeld = true;
  if (!isRefused) await expectKept(trial, exchange, 1, causeOf(causes, 'change'));
}

/** A body that moves nothing, and is kept for review. */
export function keeps(label: string, body: TestBody, causes: Causes, ifLost: string = LOST): Step {
  return stepOf([body], async (trial, bodies) => {
    const exchange = await post(trial, { label, bodies, causes });
    expectAnswer(trial, exchange, [2, 4, 5]);
    await expectChange(trial, exchange);
    if (!exchange.isRepeat) await expectKept(trial, exchange, 1, ifLost);
  });
}

/** Faulty bodies, sent at the same time, that move nothing. With `kept`, each of them is kept. */
export function refuses(label: string, faulty: readonly TestBody[]): Step {
  return stepOf([], async (trial) => {
    const bodies = faulty.map((body) => read(body, trial.options));
    const isDecoded = label === NOT_UTF_8;
    const causes = isDecoded ? { ...FAULTY, change: DECODED } : FAULTY;
    const exchange = await post(trial, { label, bodies, causes });
    expectAnswer(trial, exchange, trial.options.kept ? [2, 4] : [4]);
    await expectChange(trial, exchange);
    await expectKept(trial, exchange, bodies.filter(hasSeed).length, LOST);
  });
}

/** A body without its seed may be the same as in an earlier test, and is then not kept again. */
function hasSeed({ seed, body }: TestBody): boolean {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return text.includes(seed.toString(16).padStart(12, '0'));
}

/** Copies that arrive while a part of the database fails. */
export function survives(part: DatabasePart, label: string, body: TestBody, copies = 1): Step {
  return stepOf([body], async (trial, bodies) => {
    const { options, patience, settled, failed } = trial;
    const keys = bodies.map(({ key }) => key);
    // What failed before may have been settled by the handler's own retry.
    const isNew = !keys.some((key) => settled.has(key) || failed.has(key));
    let hasMoved = false;
    const sending = { label, bodies, copies, causes: { change: REPEATED, answer: NOT_FAILED } };
    const exchange = await post(trial, sending, async (send) => {
      const mend = await callOption('breakDatabase', async () => options.breakDatabase?.(part));
      try {
        const attempts = await send(copies);
        if (isNew && attempts.some(isAccepted)) hasMoved = await hasMovedWhileBroken(trial);
        return attempts;
      } finally {
        await mend?.();
      }
    });
    expectAnswer(trial, exchange, [2, 5]);
    if (hasMoved) {
      throw failure(exchange.name, 'no change while the database fails', 'one', BROKE_NOTHING);
    }
    const { attempts, due } = exchange;
    if (due.length === 0) return void (await expectChange(trial, exchange));
    // A later step sends the body again. A body that was accepted must move without that.
    if (!attempts.some(isAccepted)) return;
    const change = keys.some((key) => failed.has(key)) ? EARLY_COPY : ACCEPTED;
    await expectChange(trial, { ...exchange, causes: { change } }, undefined, patience.mendedMs);
  });
}

/** Whether anything has moved; false if the balances can't be read. */
async function hasMovedWhileBroken(trial: Trial): Promise<boolean> {
  const { brokenMs } = trial.patience;
  await sleep(brokenMs);
  const read = changesIn(trial).catch(() => null);
  const changes = await Promise.race([read, sleep(brokenMs, read).then(() => null)]);
  return changes !== null && changes.size > 0;
}

/** A body that arrives before its order is known. */
export function settlesOnceKnown(newEvent: NewEvent): Step {
  const [event, first, second] = [newEvent(), newEvent(), newEvent()];
  return stepOf([], async (trial) => {
    const { options, patience } = trial;
    const bodies = [read(event, options)];
    // `prepare` may give the customer money: once, or with each order. Two orders for which nothing
    // is sent show how much comes with this one.
    await prepare(trial, [read(first, options)]);
    await watch(trial, bodies);
    await prepare(trial, [read(second, options)]);
    const given = await changesIn(trial);
    add(trial, given);
    const exchange = await post(trial, { label: 'an unknown order', bodies });
    expectAnswer(trial, exchange, [2, 4, 5]);
    await prepare(trial, bodies);
    add(trial, given);
    const mayStay = async (): Promise<boolean> =>
      !options.kept || exchange.attempts.some(isFailed) || isKept(trial, exchange);
    const isDone = async (now: Amounts): Promise<boolean> => isDue(exchange, now) || mayStay();
    const changes = await poll(() => changesIn(trial), isDone, patience.mendedMs);
    if (isDue(exchange, changes)) book(trial, exchange);
    else if (await mayStay()) {
      // `prepare` may have given another amount this time, so the balances are read again.
      if (changes.size > 0) await watch(trial, bodies);
    } else {
      const wanted = 'an answer of 5xx, or one more kept for review';
      throw failure(exchange.name, wanted, 'neither', LOST);
    }
    await settles('now known', event, NEW_ORDER).show(trial);
    await settles('again', event, REPEATED).show(trial);
  });
}

/** Rounds of a race. A faulty handler passes some of them by luck. */
export function race(rounds: readonly Step[]): Step {
  const known = rounds.flatMap((round) => round.known);
  const show = async (trial: Trial): Promise<void> => {
    // A handler that has kept or refused an event of this test would not settle the race either.
    if (trial.hasHeld) return;
    const until = Date.now() + RACE_MS;
    for (const [index, round] of rounds.entries()) {
      if (index === 0 || Date.now() < until) await round.show(trial);
    }
  };
  return { known, show };
}

function stepOf(
  known: readonly TestBody[],
  show: (trial: Trial, bodies: readonly Sent[]) => Promise<void>,
): Step {
  const readAll = ({ options }: Trial): Sent[] => known.map((body) => read(body, options));
  return { known, show: (trial) => show(trial, readAll(trial)) };
}
