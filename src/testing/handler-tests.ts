import { behaviorsOf } from './handler-behaviors.js';
import { eventsOf } from './handler-events.js';
import { checkOptions, type HandlerTestsOptions } from './handler-options.js';
import { type Patience, runSteps } from './handler-steps.js';

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
  let last: Promise<unknown> = Promise.resolve();
  return types.flatMap((type) => {
    const newEvent = eventsOf(type, options);
    const noun = type === 'deposit.received' ? 'deposit' : 'withdrawal';
    return behaviorsOf(type, options).map(({ name, steps }) => ({
      name: `${noun}: ${name}`,
      run() {
        const ran = last.then(async () => {
          const rounds = await roundsFor(options);
          await runSteps(steps(newEvent, rounds), options, patience);
        });
        last = ran.catch(() => {});
        return ran;
      },
    }));
  });
}

/** A race needs fewer rounds on a slow database, and these take longer. */
async function roundsFor({ balance }: HandlerTestsOptions): Promise<number> {
  const started = Date.now();
  await balance('BTC');
  const tookMs = Date.now() - started;
  if (tookMs >= 100) return 3;
  return tookMs >= 20 ? 10 : 30;
}
