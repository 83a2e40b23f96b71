import { behaviorsOf, type Show, TOGETHER } from './handler-behaviors.js';
import { eventsOf, type NewEvent } from './handler-events.js';
import { checkOptions, type HandlerTestsOptions } from './handler-options.js';
import { type Patience, runTrial } from './handler-trial.js';

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
  return patientTests(options, { brokenMs: 1_000, answeredMs: 2_000, mendedMs: 10_000 });
}

/** The tests, with other waits: a fault that never moves anything is found without waiting. */
export function patientTests(options: HandlerTestsOptions, patience: Patience): HandlerTest[] {
  checkOptions(options);
  const { receives } = options;
  const types = receives ? [receives] : (['deposit.received', 'withdrawal.broadcast'] as const);
  const events = {
    deposit: eventsOf('deposit.received', options),
    withdrawal: eventsOf('withdrawal.broadcast', options),
  };
  /** The first tests that fail. */
  const failing = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  const testOf = (name: string, show: Show, event: NewEvent, firsts: readonly string[]) => {
    const runOnce = async (): Promise<void> => {
      const first = firsts.find((one) => one !== name && failing.has(one));
      if (first !== undefined) throw new Error(`not run: "${first}" fails`);
      failing.add(name);
      await runTrial(options, patience, events, (trial) => show(trial, event));
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
  const tests = types.map((type) => {
    const noun = type === 'deposit.received' ? 'deposit' : 'withdrawal';
    const named = Object.entries(behaviorsOf(type, options));
    const first = `${noun}: ${named[0]?.[0]}`;
    return named.map(([name, show]) => testOf(`${noun}: ${name}`, show, events[noun], [first]));
  });
  const firsts = tests.flatMap((some) => some.slice(0, 1)).map(({ name }) => name);
  const together = Object.entries(receives ? {} : TOGETHER).map(([name, show]) =>
    testOf(`both: ${name}`, show, events.deposit, firsts),
  );
  return [...tests.flat(), ...together];
}
