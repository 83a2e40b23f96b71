// Everything that is timed on the bodies of a case. Each peer's outcome is compared with ours first.
import { safeParseDepositReceived, safeParseWithdrawalBroadcast } from '../dist/index.js';
import { fixtures } from '../test/fixtures.js';
import { cases, floorOf } from './cases.js';
import { peers } from './peers.js';

/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {'base' | 'ours' | import('./peers.js').Peer['group']} group The base is what the others are
 * divided by.
 * @property {readonly any[]} inputs
 * @property {(input: any, index: number) => unknown} run Parses one input.
 * @property {string} note What it does less than ours, beside the warnings.
 */

const OURS = { deposit: safeParseDepositReceived, withdrawal: safeParseWithdrawalBroadcast };
/** How many of a case's outcomes are compared. */
const COMPARED = 50;

/**
 * @param {import('./cases.js').Case} one
 * @returns {Candidate[]}
 */
export function candidatesFor(one) {
  const { kind, texts, isParsed } = one;
  const parse = OURS[kind];
  const objects = texts.map((text) => JSON.parse(text));
  const raw = { group: 'ours', run: (body) => parse(body), note: '' };
  return [
    baseFor(one, objects),
    ...(isParsed
      ? [{ ...raw, name: 'ours, from an object', inputs: objects }]
      : [
          { ...raw, name: 'ours, from text', inputs: texts },
          { ...raw, name: 'ours, from bytes', inputs: texts.map((text) => Buffer.from(text)) },
        ]),
    ...peers
      .filter(({ group }) => !isParsed || group !== 'lossless')
      .map(({ name, group, reader, parseText }) => {
        const read = reader[kind];
        const run = isParsed ? (fields) => read(fields) : (text) => read(parseText(text));
        const inputs = isParsed ? objects : texts;
        const outcomes = inputs.slice(0, COMPARED).map((input) => reader.outcomeOf(run(input)));
        const notes = outcomes.map((outcome, index) => compare(kind, outcome, texts[index]));
        return { name, group, inputs, run, note: notes.find((note) => note !== '') ?? '' };
      }),
  ];
}

/** A valid body is measured against its floor, a refused one against ours on a valid one. */
function baseFor(one, objects) {
  const [{ texts }] = cases;
  if (one.faults > 0) {
    const run = (text) => OURS.deposit(text);
    return { name: 'ours, on a valid body', group: 'base', inputs: texts, run, note: '' };
  }
  const name = one.isParsed ? 'floor: the Decimals' : 'floor: JSON.parse, the Decimals';
  const inputs = one.isParsed ? objects : one.texts;
  return { name, group: 'base', inputs, run: floorOf(one), note: '' };
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
      ? Object.entries(value).every(([part, text]) => theirs[name]?.[part] === text)
      : JSON.stringify(theirs[name] ?? null) === JSON.stringify(value);
  return Object.entries(fields).find((entry) => !isSame(entry))?.[0] ?? null;
}

/**
 * How each peer takes the fixtures that ours reads: how many it refuses, and how many it reads otherwise.
 * To be called after the timing: code that has seen bodies of many shapes runs slower.
 *
 * @returns {{ name: string, fixtures: number, refused: number, readOtherwise: number }[]}
 */
export function compareOnFixtures() {
  const kinds = { parseDepositReceived: 'deposit', parseWithdrawalBroadcast: 'withdrawal' };
  const read = fixtures.filter(
    ({ expected: { notification, parser } }) => notification && kinds[parser],
  );
  return peers.map(({ name, reader, parseText }) => {
    const notes = read.map(({ body, expected: { parser } }) => {
      const kind = kinds[parser];
      // JSON.parse refuses the byte-order mark of one of them, lossless-json the repeated field of another.
      const told = attempt(() => reader.outcomeOf(reader[kind](parseText(body.toString()))));
      return told ? compare(kind, told, body.toString()) : 'refuses it';
    });
    const refused = notes.filter((note) => note === 'refuses it').length;
    const readOtherwise = notes.filter((note) => note !== '').length - refused;
    return { name, fixtures: read.length, refused, readOtherwise };
  });
}

function attempt(run) {
  try {
    return run();
  } catch {
    return null;
  }
}
