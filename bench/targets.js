// The one place where the targets stand: `npm run bench` shows them, `npm run bench:check` holds them.

/** By how much a ratio may pass its target before the check fails: a quick run is not exact. */
export const TOLERANCE = 1.25;

/**
 * @typedef {object} Target
 * @property {string} name
 * @property {number} limit The ratio must not be above.
 * @property {(timings: import('./run.js').Timings) => Found[]} ratios
 *
 * @typedef {object} Found
 * @property {string} what
 * @property {number} ratio
 */

/** @type {Target[]} */
export const TARGETS = [
  {
    name: 'a valid body from text, to its floor',
    limit: 1.6,
    ratios: ({ sets }) =>
      sets
        .filter(isUsual)
        .filter(isRaw)
        .map(({ body, measured }) => ({
          what: body.name,
          ratio: ours(measured).ratio.median,
        })),
  },
  {
    name: 'a body for the exact reader, to its floor',
    limit: 6,
    ratios: ({ sets }) =>
      sets.filter(isExact).map(({ body, measured }) => ({
        what: body.name,
        ratio: ours(measured).ratio.median,
      })),
  },
  {
    name: 'an invalid body, to a valid one',
    limit: 5,
    ratios: ({ sets }) =>
      sets.filter(isInvalid).map(({ body, measured }) => ({
        what: body.name,
        ratio: ours(measured).ratio.median,
      })),
  },
  {
    name: 'ours, to each library',
    limit: 1,
    ratios: ({ sets }) => sets.filter(isUsual).flatMap((set) => against('library', set)),
  },
  {
    name: 'ours, to each library behind lossless-json',
    limit: 0.5,
    ratios: ({ sets }) => sets.filter(isUsual).flatMap((set) => against('lossless', set)),
  },
];

/** @param {import('./run.js').Timings} timings */
export function judge(timings) {
  return TARGETS.map(({ name, limit, ratios }) => {
    const worst = ratios(timings).reduce((a, b) => (b.ratio > a.ratio ? b : a));
    return { name, limit, ...worst };
  });
}

const isInvalid = ({ body }) => body.faults > 0;
const isExact = ({ body }) => body.isExact;
const isRaw = ({ body }) => !body.isParsed;
/** Valid, and no number has more digits than a double carries. */
const isUsual = (set) => !isInvalid(set) && !isExact(set);

/** From text, or from the object where the body is one. */
function ours(measured) {
  return measured.find(({ group }) => group === 'ours');
}

function against(group, { body, measured }) {
  return measured
    .filter((one) => one.group === group)
    .map(({ name, ratio }) => ({
      what: `${body.name}, ${name}`,
      ratio: ours(measured).ratio.median / ratio.median,
    }));
}
