// The targets, and the results in README.md.
import { cpus } from 'node:os';
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
 */

const isValid = ({ isRefused }) => !isRefused;
const isUnknown = ({ name }) => name.includes('unknown');
/** Has documented fields alone, and no amount of more digits than a double carries. */
const isOrdinary = (of) => (one) =>
  one.kind === of && !(one.isRefused || one.isExact || one.isParsed || isUnknown(one));

/** @type {Target[]} */
const TARGETS = [
  { name: 'ordinary deposit ÷ floor', limit: 1, applies: isOrdinary('deposit') },
  { name: 'ordinary withdrawal ÷ floor', limit: 1.2, applies: isOrdinary('withdrawal') },
  { name: '1 unknown field ÷ floor', limit: 1.25, applies: isUnknown },
  { name: '18 decimals ÷ floor', limit: 2.3, applies: ({ isExact }) => isExact },
  { name: 'refused body ÷ valid one', limit: 3, applies: ({ isRefused }) => isRefused },
  { name: 'ours ÷ each library', limit: 1, applies: isValid, group: 'library' },
  { name: 'ours ÷ by hand, lossless-json', limit: 1, applies: isValid, group: 'lossless' },
  { name: 'ours ÷ by hand', limit: 1.05, applies: isValid, group: 'by hand' },
];

/**
 * Each target with its worst ratio.
 *
 * @param {Timed[][]} bodies One list a case.
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

/** @param {Timed[][]} bodies One list a case. */
export function report(bodies) {
  const date = new Date().toISOString().slice(0, 10);
  const rows = cases.map((one, index) => ({ ...one, timed: bodies[index] }));
  return `${[
    `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.versions.node}, ${date}.`,
    '### Targets',
    targetTable(judge(bodies)),
    '### Bodies that are read',
    'The time of the floor in µs, and all other times divided by it.',
    ratioTable(rows.filter(isValid)),
    '### Bodies that are refused',
    'Our time for a valid deposit in µs, and all other times divided by it.',
    ratioTable(rows.filter(({ isRefused }) => isRefused)),
  ].join('\n\n')}\n`;
}

/** @param {ReturnType<typeof judge>} targets */
export function targetTable(targets) {
  return table(
    ['target', 'at most', 'worst', '', 'where'],
    targets.map(({ name, limit, ratio, where }) => {
      const outcome = ratio <= limit ? 'met' : 'missed';
      return [name, limit.toFixed(2), ratio.toFixed(2), outcome, where];
    }),
  );
}

/** A row for each case, a column for each candidate. */
function ratioTable(/** @type {{ name: string, timed: Timed[] }[]} */ rows) {
  const names = [...new Set(rows.flatMap(({ timed }) => timed.map(({ name }) => name)))];
  const [base, ...others] = names;
  return table(
    ['', `${base}, µs`, ...others],
    rows.map(({ name, timed: [floor, ...timed] }) => [
      name,
      floor.time.toFixed(2),
      ...others.map((other) => {
        const { ratio, note } = timed.find((one) => one.name === other) ?? {};
        return [ratio?.toFixed(2), note].filter(Boolean).join(', ');
      }),
    ]),
  );
}

/**
 * A Markdown table that also reads well in a terminal.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows];
  const widths = head.map((_, index) => Math.max(...lines.map((line) => line[index].length)));
  const padded = lines.map((line) => line.map((cell, index) => cell.padEnd(widths[index])));
  return padded.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
