// Everything that is timed on the bodies of a case. Each peer's outcome is compared with ours
// first.
import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from '../dist/index.js';
import { cases, floorOf } from './cases.js';
import { peers } from './peers/all.js';

/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {'base' | 'ours' | import('./peers/all.js').Peer['group']} group The others are divided
 * by the base.
 * @property {readonly any[]} inputs
 * @property {(input: any, index: number) => unknown} run Parses one input.
 * @property {string} [note] What it does less than ours, beside the warnings.
 */

const OURS = { deposit: safeParseDepositReceived, withdrawal: safeParseWithdrawalBroadcast };
/** How many of a case's outcomes are compared. */
const COMPARED = 50;

/**
 * @param {import('./cases.js').Case} one
 * @returns {Candidate[]}
 */
export function candidatesFor(one) {
  const { kind, texts, isParsed, isExact } = one;
  const run = (body) => OURS[kind](body);
  const objects = texts.map((text) => JSON.parse(text));
  const ours = isParsed
    ? { ours: objects }
    : { ours: texts, 'ours, from bytes': texts.map((text) => Buffer.from(text)) };
  return [
    baseFor(one, objects),
    ...Object.entries(ours).map(([name, inputs]) => ({ name, group: 'ours', inputs, run })),
    ...peers
      .filter(({ group }) => isExact || group !== 'lossless')
      .map((peer) => peerFor(peer, one, isParsed ? objects : texts)),
  ];
}

/** A valid body is measured against its floor, a refused one against ours on a valid one. */
function baseFor(one, objects) {
  if (one.isRefused) {
    const run = (text) => OURS.deposit(text);
    return { name: 'ours, on a valid body', group: 'base', inputs: cases[0].texts, run };
  }
  const inputs = one.isParsed ? objects : one.texts;
  return { name: 'floor', group: 'base', inputs, run: floorOf(one) };
}

function peerFor({ name, group, reader, parseText }, { kind, texts, isParsed }, inputs) {
  const read = reader[kind];
  const run = isParsed ? (fields) => read(fields) : (text) => read(parseText(text));
  const notes = inputs
    .slice(0, COMPARED)
    .map((input, index) => compare(kind, reader.outcomeOf(run(input)), texts[index]));
  return { name, group, inputs, run, note: notes.find((note) => note !== '') };
}

/** What a peer does less than ours with a body, beside the warnings. */
function compare(kind, { notification, faults = [] }, text) {
  const { notification: ours, error } = OURS[kind](text);
  if (error) {
    const names = new Set(error.issues.map(({ path }) => path[0]));
    const found = [...names].filter((name) => faults.includes(name));
    return found.length === names.size ? '' : `names ${found.length} of ${names.size}`;
  }
  if (!notification) return 'refuses it';
  const other = differingField(notification, ours);
  if (other === null) {
    const isLost = (name) => !Object.hasOwn(notification, name);
    return Object.keys(ours.additionalFields).some(isLost) ? 'drops unknown fields' : '';
  }
  const rounded = OURS[kind](JSON.parse(text)).notification;
  return differingField(notification, rounded) === null ? 'loses digits' : `another ${other}`;
}

/** The first of our fields that a peer reads otherwise; it may leave out what is null. */
function differingField(notification, ours) {
  const theirs = JSON.parse(JSON.stringify(notification));
  const { type, additionalFields, warnings, ...fields } = JSON.parse(JSON.stringify(ours));
  // The owner's unknown fields may stay where they were.
  delete fields.txAddressOwner?.additionalFields;
  const isSame = ([name, value]) =>
    name === 'txAddressOwner'
      ? Object.entries(value ?? {}).every(([part, text]) => theirs[name]?.[part] === text)
      : JSON.stringify(theirs[name] ?? null) === JSON.stringify(value);
  return Object.entries(fields).find((entry) => !isSame(entry))?.[0] ?? null;
}
