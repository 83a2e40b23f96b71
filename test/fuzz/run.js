// Makes hostile bodies out of the fixtures and checks how each is handled, for some seconds or for a
// number of bodies. A counterexample is written to fixtures/found/, to become a fixture or a test.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { inspect, parseArgs } from 'node:util';
import { examine } from './check.js';
import { nextBody } from './mutate.js';
import { createRandom } from './random.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    bodies: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});

const random = createRandom(Number(values.seed));
const end = performance.now() + Number(values.seconds) * 1000;
const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const untouched = outline();

let bodies = 0;
let faults = 0;
let valid = 0;
while (bodies < Number(values.bodies) && faults < 10) {
  // A look at the clock now and then is enough.
  if (bodies % 256 === 0 && performance.now() > end) break;
  const body = nextBody(random);
  bodies += 1;
  const fault = check(body);
  if (fault !== null) {
    faults += 1;
    report(body, fault);
  }
}

console.log(
  `fuzzed ${bodies} bodies with seed ${values.seed}, ${valid} of them valid: ${faults} faults`,
);
process.exitCode = faults === 0 ? 0 : 1;

/**
 * @param {unknown} body
 * @returns {string | null}
 */
function check(body) {
  try {
    const { fault, isValid } = examine(body, bodies);
    if (isValid) valid += 1;
    return fault ?? (outline() === untouched ? null : 'changed a prototype');
  } catch (error) {
    return `threw ${inspect(error)}`;
  }
}

/** The names on the prototypes that every object shares. */
function outline() {
  return prototypes.map((prototype) => Reflect.ownKeys(prototype).length).join();
}

/**
 * @param {unknown} body
 * @param {string} fault
 */
function report(body, fault) {
  console.error(`body ${bodies} ${fault}`);
  const isBytes = ArrayBuffer.isView(body);
  if (typeof body === 'string' || isBytes) {
    const bytes = isBytes ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body;
    const folder = new URL('../../fixtures/found/', import.meta.url);
    const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.bin`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(new URL(name, folder), bytes);
    console.error(`  written to fixtures/found/${name}: give it an expected outcome, and a test`);
  } else {
    console.error(`  ${inspect(body, { depth: 2, breakLength: 100 })}`);
  }
}
