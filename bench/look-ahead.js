// What the search for long literals costs. It is inside the package, so its module is built apart.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bodies } from './bodies.js';
import { baseFor } from './candidates.js';

const bundle = await build({
  entryPoints: [fileURLToPath(new URL('../src/internal/json.ts', import.meta.url))],
  bundle: true,
  format: 'esm',
  target: 'es2022',
  write: false,
});
const { parseJson } = await import(
  `data:text/javascript,${encodeURIComponent(bundle.outputFiles[0].text)}`
);

/** The bodies without a long literal: text that is read once. */
export const searched = bodies.filter((body) => !body.faults && !body.isExact && !body.isParsed);

/** For each of them the floor, the native parser, and ours, which is the native parser and the search. */
export const lookAheadSets = searched.map((body) => [
  baseFor(body),
  { name: 'JSON.parse', group: 'without', run: () => JSON.parse(body.text) },
  { name: 'JSON.parse and the search', group: 'with', run: () => parseJson(body.text) },
]);

/** The search alone, as a part of the floor. */
export function searchCost(measured) {
  const [without, withSearch] = measured.slice(1);
  return withSearch.ratio.median - without.ratio.median;
}
