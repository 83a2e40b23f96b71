// Everything that is timed on a body. Each peer's outcome is compared with ours first.
import { parse as parseLossless } from 'lossless-json';
import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from '../dist/index.js';
import { bodies } from './bodies.js';
import { compare, outcomeOfOurs } from './compare.js';
import { floorOf } from './floor.js';
import { arktype } from './peers/arktype.js';
import { handWritten } from './peers/hand-written.js';
import { typebox } from './peers/typebox.js';
import { valibot } from './peers/valibot.js';
import { zod } from './peers/zod.js';

/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {'base' | 'ours' | 'library' | 'lossless' | 'by hand'} group The base is what the others are
 * divided by.
 * @property {() => unknown} run Parses the body once.
 * @property {string} note What it does less than ours, on this body.
 */

/**
 * @callback MakePeer
 * @param {boolean} isLossless Whether numbers come as LosslessNumbers.
 * @returns {Peer}
 *
 * @typedef {object} Peer
 * @property {(fields: unknown) => unknown} deposit Reads a deposit, and tells the outcome its own way.
 * @property {(fields: unknown) => unknown} withdrawal
 * @property {(told: any) => import('./compare.js').Outcome} outcomeOf What it told; not timed.
 */

const OURS = { deposit: safeParseDepositReceived, withdrawal: safeParseWithdrawalBroadcast };

const PEERS = [
  { name: 'zod', peer: zod(false), exactPeer: zod(true) },
  { name: 'valibot', peer: valibot(false), exactPeer: valibot(true) },
  { name: 'arktype', peer: arktype(false), exactPeer: arktype(true) },
  { name: 'typebox', peer: typebox(false), exactPeer: typebox(true) },
];
const BY_HAND = handWritten();

/**
 * @param {import('./bodies.js').Body} body
 * @returns {Candidate[]}
 */
export function candidatesFor(body) {
  const { kind, text, isParsed } = body;
  const fields = JSON.parse(text);
  const expected = outcomeOfOurs(OURS[kind](text));
  const rounded = outcomeOfOurs(OURS[kind](fields));

  /** A peer reads fields, which come from the text by JSON.parse or by the lossless reader. */
  const peerCandidate = (name, group, peer, parseText) => {
    const read = peer[kind];
    const run = isParsed ? () => read(fields) : () => read(parseText(text));
    const note = compare(`${name}, ${body.name}`, peer.outcomeOf(run()), expected, rounded);
    return { name, group, run, note };
  };

  return [
    base(body, expected),
    ...ours(body, fields),
    ...PEERS.map(({ name, peer }) => peerCandidate(name, 'library', peer, JSON.parse)),
    peerCandidate('written by hand', 'by hand', BY_HAND, JSON.parse),
    ...(isParsed ? [] : PEERS).map(({ name, exactPeer }) =>
      peerCandidate(`${name} + lossless-json`, 'lossless', exactPeer, parseLossless),
    ),
  ];
}

/** A valid body is measured against its floor, an invalid one against ours on a valid one. */
function base(body, expected) {
  if (body.faults === 0) {
    const name = body.isParsed ? 'floor: the Decimals' : 'floor: JSON.parse + the Decimals';
    return { name, group: 'base', run: floorOf(body, expected.notification), note: '' };
  }
  const { kind, text } = bodies[0];
  return { name: 'ours on the valid body', group: 'base', run: () => OURS[kind](text), note: '' };
}

function ours({ kind, text, isParsed }, fields) {
  const parse = OURS[kind];
  const bytes = Buffer.from(text);
  const candidate = { group: 'ours', note: '' };
  if (isParsed) return [{ ...candidate, name: 'ours from an object', run: () => parse(fields) }];
  return [
    { ...candidate, name: 'ours from text', run: () => parse(text) },
    { ...candidate, name: 'ours from bytes', run: () => parse(bytes) },
  ];
}
