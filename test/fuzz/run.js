// Checks how hostile bodies are handled, for some seconds or for a number of bodies.
//
// A fault is shrunk and shown with the seed and the path that replay it, to become a fixture or a test.
import { inspect, parseArgs } from 'node:util';
import fc from 'fast-check';
import { isDistOld } from '../../scripts/dist.js';
import { anyBody } from './bodies.js';
import { examine, PARSER_COUNT } from './examine.js';

/** After so many runs the clock is looked at, and the next seed is taken. */
const RUNS = 5000;
/** No body takes a hundredth of this, in milliseconds. */
const MAX_TIME = 50;

if (isDistOld()) throw new Error('dist is older than its sources: npm run build');

const { values } = parseArgs({
  options: {
    bodies: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    path: { type: 'string' },
  },
});
const { bodies, seconds = bodies ? '0' : '60', path } = values;

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const untouched = namesOnPrototypes();

const anyCase = fc.tuple(anyBody, fc.nat({ max: PARSER_COUNT - 1 }));
check(Number(bodies ?? 0), Number(seconds));

/**
 * @param {[makeBody: () => unknown, parser: number]} anyCase
 * @returns {string | null}
 */
function bodyFault([makeBody, parser]) {
  const run = () => examine(makeBody(), makeBody(), parser);
  try {
    const start = performance.now();
    const fault = run();
    if (performance.now() - start > MAX_TIME && fastest(run) > MAX_TIME) return 'takes too long';
    return fault ?? (namesOnPrototypes() === untouched ? null : 'changes a prototype');
  } catch (error) {
    return `throws ${inspect(error)}`;
  }
}

/**
 * Looks for a fault in a number of bodies, and for some seconds.
 *
 * @param {number} count
 * @param {number} time In seconds.
 */
function check(count, time) {
  const end = performance.now() + time * 1000;
  const property = fc.property(anyCase, (value) => bodyFault(value) === null);
  let runs = 0;
  for (let seed = Number(values.seed); runs < count || performance.now() < end; seed += 1) {
    const numRuns = runs < count ? Math.min(RUNS, count - runs) : RUNS;
    const { failed, counterexample, counterexamplePath } = fc.check(property, {
      seed,
      numRuns,
      ...(path && { path }),
    });
    if (failed && counterexample) {
      const [value] = counterexample;
      console.error(`A body ${bodyFault(value)}`);
      console.error(show(value));
      console.error(`Again: --bodies 1 --seed ${seed} --path ${counterexamplePath}`);
      process.exitCode = 1;
      return;
    }
    runs += numRuns;
  }
  console.log(`${runs} bodies from seed ${values.seed} on: no fault`);
}

/** @param {[makeBody: () => unknown, parser: number]} anyCase */
function show([makeBody, parser]) {
  const body = makeBody();
  const bytes = Buffer.isBuffer(body) ? `, in base64 ${body.toString('base64')}` : '';
  const shown = bytes ? JSON.stringify(`${body}`) : inspect(body, { depth: 2, breakLength: 100 });
  return `  ${shown}${bytes}, parser ${parser}`;
}

/** The names on the prototypes that every object shares. */
function namesOnPrototypes() {
  return prototypes.map((prototype) => Reflect.ownKeys(prototype).length).join();
}

/** The time without what else the machine did. @param {() => void} run */
function fastest(run) {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
