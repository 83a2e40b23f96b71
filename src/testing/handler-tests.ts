import { behaviorsOf } from './handler-behaviors.js';
import { checkOptions, type HandlerTestsOptions } from './handler-options.js';
import { runSteps } from './handler-steps.js';

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
 * Makes tests of your handler: it settles each event once and exactly, in every encoding, also if
 * copies arrive at the same time or a part of the database fails, and it refuses faulty bodies and
 * keeps them.
 *
 * Each test sends new events, so it may run again on the same database. The tests wait for each
 * other, because nothing else may change the balances while one runs.
 *
 * @param options - Your handler and its database. Use a real database server of the kind that you
 * use in production.
 * @throws TypeError for an invalid option.
 *
 * @example
 * ```ts
 * for (const { name, run } of handlerTests({ url, balance, kept, prepare, breakDatabase })) {
 *   test(name, run);
 * }
 * ```
 */
export function handlerTests(options: HandlerTestsOptions): HandlerTest[] {
  checkOptions(options);
  let last: Promise<unknown> = Promise.resolve();
  return behaviorsOf(options).map(({ name, steps }) => ({
    name,
    run() {
      const ran = last.then(() => runSteps(steps(), options));
      last = ran.catch(() => {});
      return ran;
    },
  }));
}
