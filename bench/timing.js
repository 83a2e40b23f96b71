// Measures everything in one process, and prints it as JSON: by default the times, with --quick only those
// that the targets need, with --memory the bytes.
import { parseArgs } from 'node:util';
import { candidatesFor, compareOnFixtures } from './candidates.js';
import { cases } from './cases.js';
import { growthSets } from './growth.js';
import { bytesOf, measure } from './measure.js';

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, memory: { type: 'boolean' } },
});
const rounds = values.quick ? 40 : 100;

if (values.memory) {
  console.log(JSON.stringify(cases.map((one) => candidatesFor(one).map(bytesOf))));
} else {
  const parses = measure(cases.map(candidatesFor), rounds);
  const rest = values.quick
    ? {}
    : {
        onFixtures: compareOnFixtures(),
        // By now, all code has seen every fixture.
        manyShapes: measure([candidatesFor(cases[0])], rounds),
        growth: measure(growthSets(), rounds),
      };
  console.log(JSON.stringify({ parses, ...rest }));
}
