// The targets: `npm run bench` shows them, `npm run bench -- --check` holds them.
import { cases } from './cases.js';

/**
 * @import { Case } from './cases.js'
 * @import { Timed } from './measure.js'
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {number} limit The highest ratio that meets it.
 * @property {(one: Case) => boolean} applies
 * @property {Timed['group']} [group] Whose ratio ours is divided by, if not the base's.
 *
 * @typedef {object} Judged A target with its worst ratio.
 * @property {string} name
 * @property {number} limit
 * @property {number} ratio
 * @property {string} where
 */

const isValid = ({ isRefused }) => !isRefused;
/** Has documented fields alone, and no amount of more digits than a double carries. */
const isOrdinary = ({ name, isRefused, isExact, isParsed }) =>
  !(isRefused || isExact || isParsed || name.includes('unknown'));

/** @type {Target[]} */
const TARGETS = [
  {
    name: 'ordinary deposit ÷ floor',
    limit: 1,
    applies: (one) => isOrdinary(one) && one.kind === 'deposit',
  },
  {
    name: 'ordinary withdrawal ÷ floor',
    limit: 1.2,
    applies: (one) => isOrdinary(one) && one.kind === 'withdrawal',
  },
  { name: '1 unknown field ÷ floor', limit: 1.25, applies: ({ name }) => name.includes('unknown') },
  { name: '18 decimals ÷ floor', limit: 2.3, applies: ({ isExact }) => isExact },
  { name: 'refused body ÷ valid one', limit: 3, applies: ({ isRefused }) => isRefused },
  { name: 'ours ÷ each library', limit: 1, applies: isValid, group: 'library' },
  { name: 'ours ÷ by hand, lossless-json', limit: 1, applies: isValid, group: 'lossless' },
  { name: 'ours ÷ by hand', limit: 1.05, applies: isValid, group: 'by hand' },
];

/**
 * @param {Timed[][]} bodies
 * @returns {Judged[]}
 */
export function judge(bodies) {
  return TARGETS.map(({ name, limit, applies, group = 'base' }) => {
    const found = cases.flatMap((one, index) => {
      if (!applies(one)) return [];
      // From text, or from the object where the body is one.
      const ours = bodies[index].find((measured) => measured.group === 'ours');
      // To drop unknown fields or to lose digits is another job.
      const isPeer = ({ group: of, note = '' }) => of === group && !/^(drops|loses)/.test(note);
      return bodies[index].filter(isPeer).map((peer) => ({
        ratio: ours.ratio / peer.ratio,
        where: group === 'base' ? one.name : `${one.name}: ${peer.name}`,
      }));
    });
    const [worst] = found.sort((a, b) => b.ratio - a.ratio);
    return { name, limit, ...worst };
  });
}
