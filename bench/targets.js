// The one place where the targets stand: `npm run bench` shows them, `npm run bench -- --check` holds them.
import { cases } from './cases.js';

/**
 * @import { Case } from './cases.js'
 * @import { Measured } from './measure.js'
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {number} limit What no ratio may be above.
 * @property {(one: Case) => boolean} applies
 * @property {Measured['group']} [group] Whom ours is divided by, if not by the base.
 *
 * @typedef {object} Judged A target with its worst ratio.
 * @property {string} name
 * @property {number} limit
 * @property {number} ratio
 * @property {string} where
 */

const hasUnknown = ({ name }) => name.includes('unknown');
const isValid = ({ faults }) => faults === 0;
const isUsual = (one) => isValid(one) && !one.isExact && !one.isParsed && !hasUnknown(one);

/** @type {Target[]} */
const TARGETS = [
  { name: 'valid body from text ÷ floor', limit: 1.25, applies: isUsual },
  { name: 'one unknown field ÷ floor', limit: 1.4, applies: hasUnknown },
  { name: '18 decimals ÷ floor', limit: 1.5, applies: ({ isExact }) => isExact },
  { name: 'parsed object ÷ floor', limit: 1.3, applies: ({ isParsed }) => isParsed },
  { name: 'refused body ÷ valid one', limit: 3, applies: (one) => !isValid(one) },
  { name: 'ours ÷ each library', limit: 1, applies: isValid, group: 'library' },
  { name: 'ours ÷ written by hand', limit: 1, applies: isValid, group: 'by hand' },
];

/**
 * @param {Measured[][]} parses
 * @returns {Judged[]}
 */
export function judge(parses) {
  return TARGETS.map(({ name, limit, applies, group }) => {
    const found = cases.flatMap((one, index) => {
      if (!applies(one)) return [];
      // From text, or from the object where the body is one.
      const ours = parses[index].find((measured) => measured.group === 'ours').ratio.median;
      if (!group) return [{ ratio: ours, where: one.name }];
      return (
        parses[index]
          // Whoever drops unknown fields does another job.
          .filter((measured) => measured.group === group && !measured.note.startsWith('drops'))
          .map((peer) => ({ ratio: ours / peer.ratio.median, where: `${one.name}: ${peer.name}` }))
      );
    });
    const [worst] = found.sort((a, b) => b.ratio - a.ratio);
    return { name, limit, ...worst };
  });
}
