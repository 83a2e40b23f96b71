import type { NotificationType } from '../parser/errors.js';
import { safeParseNotification } from '../parser/parse.js';
import { createDeadline } from '../shared/deadline.js';
import { messageOf } from '../shared/thrown.js';
import { eventOf } from './arrive.js';
import type { Log, Outcome } from './log.js';
import { FUNCTION_OF, type ReceiverOptions } from './options.js';
import type { Settling } from './settle.js';
import { isUnchanged, MAX_STORING, type Store, type WaitingBody } from './store.js';

/**
 * A round ends after this many failures in a row: few enough that the log of an outage can be read,
 * and enough to find a few good bodies among 1,000 hopeless ones within half an hour.
 */
const MAX_FAILURES = 50;
/** If so many bodies in a row can't be read or claimed, the store is down. */
const MAX_STORE_FAILURES = 5;

/** A body that was claimed so often, and left in progress each time, isn't tried again. */
const MAX_TRIES = 3;

/** How long a round of a scheduled function takes at most, in milliseconds. */
const ROUND_TIME = 60_000;

// Why a body goes to `review` whose function isn't called.
const ENDED = 'its function ended the process three times, or the store failed';
const HALF = 'half written, and shorter than its digest says';
const CHANGED = 'changed after it arrived, because its digest is another one';

/** Retries the bodies that wait, in rounds. None of these functions rejects. */
export interface Rounds {
  readonly start: (everyMs: number) => void;
  /** Runs a round, or waits for the running one. */
  readonly run: (time?: number) => Promise<void>;
  /** Starts no more bodies, and waits for the one in progress. */
  readonly stop: () => Promise<void>;
}

export function createRounds(
  options: ReceiverOptions,
  store: Store,
  settling: Settling,
  timeoutMs: number,
  log: Log,
): Rounds {
  /** How long a claim holds, in milliseconds: a store takes its time to begin it and to end it. */
  const maxClaim = timeoutMs + 2 * MAX_STORING;
  /** The names that the last round has found. */
  let known = new Set<string>();
  /** Types of bodies that are left alone, of which the log has a line already. */
  const reported = new Set<NotificationType>();
  let round: Promise<void> | null = null;
  /** Identifies the rounds that `start` has begun; null after `stop`. */
  let started: object | null = null;
  let isStopping = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run(time = ROUND_TIME): Promise<void> {
    round ??= runRound(time)
      .catch((error) => {
        const message = `a round ended: ${messageOf(error)}`;
        return log({ outcome: 'failed', key: null, message, error });
      })
      .finally(() => {
        round = null;
      });
    return round;
  }

  /** After its time, a round ends, because new bodies may wait that it has not listed. */
  async function runRound(time: number): Promise<void> {
    const ordered = orderOf(unclaimed(await store.list()));
    const end = performance.now() + time;
    let [failures, storeFailures] = [0, 0];
    for (const waiting of ordered) {
      if (isStopping || performance.now() > end) return;
      if (failures === MAX_FAILURES || storeFailures === MAX_STORE_FAILURES) return;
      const outcome = await tryAgain(waiting).catch((error) => {
        const message = `${waiting.name} was not tried: ${messageOf(error)}`;
        log({ outcome: 'failed', key: null, message, error });
        return 'not read';
      });
      if (outcome === 'skipped') continue;
      storeFailures = outcome === 'not read' ? storeFailures + 1 : 0;
      failures = outcome === 'retry' || outcome === 'failed' ? failures + 1 : 0;
    }
  }

  /** Returns an entry for each body that no process works on: its claim, if it has one. */
  function unclaimed(listed: readonly WaitingBody[]): WaitingBody[] {
    const byName = new Map<string, WaitingBody>();
    for (const waiting of listed) {
      if (waiting.place === 'progress' || !byName.has(waiting.name)) {
        byName.set(waiting.name, waiting);
      }
    }
    const now = Date.now();
    return [...byName.values()].filter(
      // A time in the future is one of a wrong clock. A store may return a time as text.
      ({ place, since }) => place === 'retry' || !(Math.abs(now - timeOf(since)) <= maxClaim),
    );
  }

  /**
   * New bodies come first, so that one that has just failed doesn't wait for thousands. Then come
   * those that were tried longest ago.
   */
  function orderOf(waiting: readonly WaitingBody[]): WaitingBody[] {
    const ours = waiting.filter(({ name }) => !isOfOthers(name));
    const isKnown = ({ name }: WaitingBody) => Number(known.has(name));
    ours.sort((a, b) => isKnown(a) - isKnown(b) || timeOf(a.since) - timeOf(b.since));
    known = new Set(ours.map(({ name }) => name));
    return ours;
  }

  /** Whether a body is of a type that has no function here, as far as its name says. */
  function isOfOthers(name: string): boolean {
    if (name.startsWith('deposit.received.')) return isLeftAlone('deposit.received');
    return name.startsWith('withdrawal.broadcast.') && isLeftAlone('withdrawal.broadcast');
  }

  /** Bodies of a type without a function are those of another receiver on this store. */
  function isLeftAlone(type: NotificationType): boolean {
    if (options[FUNCTION_OF[type]]) return false;
    if (!reported.has(type)) {
      reported.add(type);
      const message = `a ${type} webhook waits, but this receiver has no function for it. It is left to another receiver on this store`;
      log({ outcome: 'warning', key: null, message });
    }
    return true;
  }

  async function tryAgain(waiting: WaitingBody): Promise<Outcome | 'skipped'> {
    const { name, place, tries } = waiting;
    const body = await store.read(name);
    if (body == null) return 'skipped'; // another process was first
    const { success, error, notification } = safeParseNotification(body);
    const isHalf = error?.issues[0].code === 'invalid_json';
    const damage = (await isUnchanged(name, body)) ? null : isHalf ? HALF : CHANGED;
    if (!success) {
      return settling.refused({ kind: 'refused', error, body, isRequest: false }, name, damage);
    }
    const event = eventOf(notification, body);
    const { key } = event;
    if (isLeftAlone(notification.type) || settling.isRunning(key)) return 'skipped';
    if (damage !== null) return settling.review(event, damage, name);
    if (tries >= MAX_TRIES) return settling.review(event, ENDED, name);
    // From now on, other rounds leave the body alone. If its function ends the process, it isn't
    // called again as soon as the process is started anew, but once the claim has run out.
    const saved = await store.save({ to: 'progress', name, body, key, reason: '', from: waiting });
    if (saved === false) return 'skipped';
    if (place === 'progress') {
      log({
        outcome: 'warning',
        key,
        message: 'was left in progress, because its process ended or the store failed',
      });
    }
    const deadline = createDeadline(timeoutMs);
    try {
      return await settling.event(event, deadline, name);
    } finally {
      deadline.end();
    }
  }

  async function repeat(everyMs: number, mine: object): Promise<void> {
    const next = performance.now() + everyMs;
    await run(everyMs);
    if (started !== mine) return;
    timer = setTimeout(repeat, Math.max(0, next - performance.now()), everyMs, mine);
    Object(timer).unref?.(); // the pause doesn't keep the process running
  }

  return {
    start(everyMs) {
      if (started) return;
      started = {};
      reported.clear();
      repeat(everyMs, started);
    },
    run,
    async stop() {
      started = null;
      clearTimeout(timer);
      isStopping = true;
      await round;
      isStopping = false;
    },
  };
}

function timeOf(since: Date): number {
  return new Date(since).getTime();
}
