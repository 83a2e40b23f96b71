// Times everything in one process, and prints it as JSON; with --quick only what the targets need.
import { parseArgs } from 'node:util';
import { checkPeers } from './agreement.js';
import { bodies } from './bodies.js';
import { candidatesFor } from './candidates.js';
import { lengths, sizes } from './growth.js';
import { lookAheadSets } from './look-ahead.js';
import { measure } from './measure.js';

/**
 * @typedef {Record<'parses' | 'searches', import('./measure.js').Timed[][]>} QuickTimings
 * @typedef {QuickTimings & Record<'manyShapes' | 'sizes' | 'lengths', import('./measure.js').Timed[][]>} Timings
 */

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 40 : 100;

const parses = bodies.map(candidatesFor);
const timed = measure([...parses, ...lookAheadSets], rounds);
const timings = { parses: timed.slice(0, parses.length), searches: timed.slice(parses.length) };
checkPeers();

if (!values.quick) {
  // By now, all code has seen every fixture.
  timings.manyShapes = measure([candidatesFor(bodies[0])], rounds);
  const setsOf = (grown) => grown.map(({ set }) => set);
  timings.sizes = measure(setsOf(sizes), rounds);
  timings.lengths = measure(setsOf(lengths), rounds);
}
console.log(JSON.stringify(timings));
