// The one place where the targets stand: `npm run bench` shows them, `npm run bench:check` holds them.
import { bodies } from './bodies.js';
import { searchCost, searched } from './look-ahead.js';

/** By how much a ratio may pass its target before the check fails: a quick run is not exact. */
const TOLERANCE = 1.25;

/**
 * @typedef {object} Target
 * @property {string} name
 * @property {number} limit What no ratio may be above.
 * @property {(parses: OnBody[], searches: OnBody[]) => Found[]} find
 *
 * @typedef {object} OnBody Every candidate on one body, its base first.
 * @property {import('./bodies.js').Body} body
 * @property {import('./measure.js').Measured[]} measured
 *
 * @typedef {object} Found
 * @property {number} ratio
 * @property {string} where
 *
 * @typedef {{ name: string, limit: number } & Found} Judged A target with its worst ratio.
 */

const isInvalid = ({ body }) => body.faults > 0;
const isExact = ({ body }) => body.isExact;
const isRaw = ({ body }) => !body.isParsed;
/** Valid, and without a number that has more digits than a double carries. */
const isUsual = (one) => !isInvalid(one) && !isExact(one);

/** @type {Target[]} */
const TARGETS = [
  {
    name: 'valid body from text ÷ floor',
    limit: 1.6,
    find: (parses) => parses.filter(isUsual).filter(isRaw).map(againstBase),
  },
  {
    name: 'ours ÷ each library',
    limit: 1,
    find: (parses) => parses.filter(isUsual).flatMap((one) => against('library', one)),
  },
  {
    name: 'ours ÷ each library + lossless-json',
    limit: 0.5,
    find: (parses) => parses.filter(isUsual).flatMap((one) => against('lossless', one)),
  },
  {
    name: 'body for the exact reader ÷ floor',
    limit: 6,
    find: (parses) => parses.filter(isExact).map(againstBase),
  },
  {
    name: 'invalid body ÷ valid one',
    limit: 5,
    find: (parses) => parses.filter(isInvalid).map(againstBase),
  },
  {
    name: 'search for long literals ÷ floor',
    limit: 0.15,
    find: (_parses, searches) =>
      searches.map(({ body, measured }) => ({ where: body.name, ratio: searchCost(measured) })),
  },
];

/**
 * @param {Record<'parses' | 'searches', import('./measure.js').Measured[][]>} timings
 * @returns {Judged[]}
 */
export function judge({ parses, searches }) {
  const onBodies = parses.map((measured, index) => ({ body: bodies[index], measured }));
  const onSearched = searches.map((measured, index) => ({ body: searched[index], measured }));
  return TARGETS.map(({ name, limit, find }) => {
    const [worst] = find(onBodies, onSearched).sort((a, b) => b.ratio - a.ratio);
    return { name, limit, ...worst };
  });
}

/**
 * @param {Judged[]} judged
 * @returns {string[]} A line for each target that is missed by more than the tolerance.
 */
export function failures(judged) {
  return judged
    .filter(({ limit, ratio }) => ratio > limit * TOLERANCE)
    .map(
      ({ name, limit, ratio, where }) =>
        `${name}: ${ratio.toFixed(2)} (${where}) is more than a quarter above ${limit}`,
    );
}

/** Ours from text, or from the object where the body is one. */
function ours(measured) {
  return measured.find(({ group }) => group === 'ours');
}

function againstBase({ body, measured }) {
  return { where: body.name, ratio: ours(measured).ratio.median };
}

function against(group, { body, measured }) {
  return measured
    .filter((one) => one.group === group)
    .map(({ name, ratio }) => ({
      where: `${body.name}: ${name}`,
      ratio: ours(measured).ratio.median / ratio.median,
    }));
}
