import type { NotificationType } from '../../parser/errors.js';
import { BOTH, behaviorsOf } from './behaviors.js';
import { eventsOf } from './events.js';
import { checkOptions, type HandlerTestsOptions } from './options.js';
import type { Behaviors } from './rows.js';
import { Trial } from './trial.js';
import type { Patience, Setup } from './under-test.js';

/** A test of a handler, for any test runner. */
export interface HandlerTest {
  readonly name: string;
  /**
   * Sends webhooks, and checks each answer and the balances. Rejects with an error that says what
   * was sent, expected and received, and the likely cause. Its `expected` and `actual` are for the
   * runner's diff.
   */
  readonly run: () => Promise<void>;
}

/**
 * Returns tests of your handler. They check that it settles each event once and exactly: in every
 * encoding, if copies arrive at the same time, and after a part of the database failed. They also
 * check that it refuses faulty bodies, and saves them for review.
 *
 * Each test sends new events, so it may run again on the same database. The tests wait for each
 * other, because nothing else may change the balances while one runs. A test may take longer than
 * the usual limit of a test runner, so pass a longer one.
 *
 * @param options - Your handler and its database. Use a real database server of the kind that you
 * use in production.
 * @throws TypeError for an option that is invalid, missing or unknown.
 *
 * @example
 * ```ts
 * for (const { name, run } of handlerTests({ url, balance, kept, prepare, breakDatabase })) {
 *   test(name, run, 60_000);
 * }
 * ```
 */
export function handlerTests(options: HandlerTestsOptions): HandlerTest[] {
  const patience = { quietMs: 1_000, answeredMs: 2_000, mendedMs: 10_000, rounds: 30 };
  return patientTests(options, patience);
}

/** Like {@link handlerTests}, with other waits. With short ones, tests that fail end early. */
export function patientTests(options: HandlerTestsOptions, patience: Patience): HandlerTest[] {
  checkOptions(options);
  const { receives } = options;
  const newEvent = eventsOf(options);
  const setup: Setup = { options, patience, newEvent, lagMs: 0, hasAccepted: false };
  const groups: readonly (readonly [noun: string, type: NotificationType, Behaviors])[] = [
    ['deposit', 'deposit.received', behaviorsOf('deposit.received', options)],
    ['withdrawal', 'withdrawal.broadcast', behaviorsOf('withdrawal.broadcast', options)],
    ['both', 'deposit.received', BOTH],
  ];
  const firsts = groups.map(([noun, , behaviors]) => `${noun}: ${Object.keys(behaviors)[0]}`);
  /** The names of the tests whose last run failed. */
  const failing = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return groups
    .filter(([noun]) => !receives || receives.startsWith(noun))
    .flatMap(([noun, type, behaviors]) => {
      const needed = noun === 'both' ? firsts : firsts.filter((first) => first.startsWith(noun));
      return Object.entries(behaviors).map(([title, behavior]) => {
        const name = `${noun}: ${title}`;
        const runOnce = async (): Promise<void> => {
          const first = needed.find((one) => one !== name && failing.has(one));
          if (first !== undefined) throw new Error(`not run: "${first}" fails`);
          failing.add(name);
          const trial = new Trial(setup, type);
          await behavior(trial);
          await trial.ends();
          failing.delete(name);
        };
        // Nothing else may change the balances.
        const run = (): Promise<void> => {
          const ran = last.then(runOnce);
          last = ran.catch(() => {});
          return ran;
        };
        return { name, run };
      });
    });
}
