// Everything that is timed on a body. Each peer's outcome is compared with ours first.
import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from '../dist/index.js';
import { bodies } from './bodies.js';
import { compare, outcomeOfOurs } from './compare.js';
import { floorOf } from './floor.js';
import { pipelines } from './peers.js';

/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {'base' | 'ours' | import('./peers.js').Pipeline['group']} group The base is what the others
 * are divided by.
 * @property {() => unknown} run Parses the body once.
 * @property {string} note What it does less than ours, on this body.
 */

const OURS = { deposit: safeParseDepositReceived, withdrawal: safeParseWithdrawalBroadcast };

/**
 * @param {import('./bodies.js').Body} body
 * @returns {Candidate[]}
 */
export function candidatesFor(body) {
  const { kind, text, isParsed } = body;
  const fields = JSON.parse(text);
  const expected = outcomeOfOurs(OURS[kind](text));
  const rounded = outcomeOfOurs(OURS[kind](fields));
  const peers = isParsed ? pipelines.filter(({ group }) => group !== 'lossless') : pipelines;

  return [
    baseFor(body),
    ...(isParsed ? oursFromObject(kind, fields) : oursFromRaw(kind, text)),
    ...peers.map(({ name, group, peer, parseText }) => {
      const read = peer[kind];
      const run = isParsed ? () => read(fields) : () => read(parseText(text));
      const note = compare(`${name}, ${body.name}`, peer.outcomeOf(run()), expected, rounded);
      return { name, group, run, note };
    }),
  ];
}

/**
 * A valid body is measured against its floor, an invalid one against ours on a valid one.
 *
 * @param {import('./bodies.js').Body} body
 * @returns {Candidate}
 */
export function baseFor(body) {
  const { kind, text, isParsed, faults } = body;
  const base = { group: 'base', note: '' };
  if (faults > 0) {
    const [valid] = bodies;
    return { ...base, name: 'ours on the valid body', run: () => OURS[valid.kind](valid.text) };
  }
  const name = isParsed ? 'floor: the Decimals' : 'floor: JSON.parse + the Decimals';
  return { ...base, name, run: floorOf(body, OURS[kind](text).notification) };
}

function oursFromRaw(kind, text) {
  const parse = OURS[kind];
  const bytes = Buffer.from(text);
  return [
    { name: 'ours from text', group: 'ours', note: '', run: () => parse(text) },
    { name: 'ours from bytes', group: 'ours', note: '', run: () => parse(bytes) },
  ];
}

function oursFromObject(kind, fields) {
  const parse = OURS[kind];
  return [{ name: 'ours from an object', group: 'ours', note: '', run: () => parse(fields) }];
}
