import { type Behaviors, behaviorsOf, sharedBehaviors } from './behaviors.js';
import { eventsOf, type NewEvent } from './events.js';
import { checkOptions, type HandlerTestsOptions } from './options.js';
import { runSteps, type Step } from './steps.js';
import type { Patience } from './trial.js';

/** A test of a handler, for any test runner. */
export interface HandlerTest {
  readonly name: string;
  /**
   * Sends bodies, and checks each answer and the balance. Rejects with an error that says what was
   * sent, what was expected, what was received, and the likely cause. Its `expected` and `actual`
   * are for the runner's diff.
   */
  readonly run: () => Promise<void>;
}

/**
 * Makes tests of your handler: it settles each event once and exactly, in every encoding, even if
 * copies arrive at the same time or a part of the database fails, and it refuses faulty bodies and
 * keeps them.
 *
 * Each test sends new events, so it may run again on the same database. The tests wait for each
 * other, because nothing else may change the balances while one runs.
 *
 * @param options - Your handler and its database. Use a real database server of the kind that you
 * use in production.
 * @throws TypeError for an option that is invalid, missing or unknown.
 *
 * @example
 * ```ts
 * for (const { name, run } of handlerTests({ url, balance, kept, prepare, breakDatabase })) {
 *   test(name, run);
 * }
 * ```
 */
export function handlerTests(options: HandlerTestsOptions): HandlerTest[] {
  return patientTests(options, {
    brokenMs: 1_000,
    answeredMs: 2_000,
    mendedMs: 10_000,
    rounds: 30,
  });
}

/** Like {@link handlerTests}, with other waits. With short ones, tests that fail end early. */
export function patientTests(options: HandlerTestsOptions, patience: Patience): HandlerTest[] {
  checkOptions(options);
  const { receives } = options;
  const deposit = eventsOf('deposit.received', options);
  const withdrawal = eventsOf('withdrawal.broadcast', options);
  const { rounds } = patience;
  /** The names of the tests whose last run failed. */
  const failing = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  const testOf = (name: string, steps: () => readonly Step[], firsts: readonly string[]) => {
    const runOnce = async (): Promise<void> => {
      const first = firsts.find((one) => one !== name && failing.has(one));
      if (first !== undefined) throw new Error(`not run: "${first}" fails`);
      failing.add(name);
      await runSteps(options, patience, steps());
      failing.delete(name);
    };
    // Nothing else may change the balances.
    const run = (): Promise<void> => {
      const ran = last.then(runOnce);
      last = ran.catch(() => {});
      return ran;
    };
    return { name, run };
  };
  const groups: readonly (readonly [noun: string, behaviors: Behaviors, event: NewEvent])[] = [
    ['deposit', behaviorsOf('deposit.received', options, rounds), deposit],
    ['withdrawal', behaviorsOf('withdrawal.broadcast', options, rounds), withdrawal],
    ['both', sharedBehaviors(withdrawal, rounds), deposit],
  ];
  const firsts = groups.map(([noun, behaviors]) => `${noun}: ${Object.keys(behaviors)[0]}`);
  return groups.flatMap(([noun, behaviors, event], index) =>
    receives && !receives.startsWith(noun)
      ? []
      : Object.entries(behaviors).map(([name, stepsOf]) => {
          const own = noun === 'both' ? firsts : firsts.slice(index, index + 1);
          return testOf(`${noun}: ${name}`, () => stepsOf(event), own);
        }),
  );
}
