// Whether time stays in proportion to the body: bodies of one kind, larger and larger.
import { parseDepositReceived } from '../dist/index.js';
import { cases } from './cases.js';

const sample = JSON.parse(cases[0].texts[0]);

/** Sizes of the whole body, in KiB; 64 is the most that is read. */
const SIZES = [1, 4, 16, 64];
/** Lengths of a number, in characters; from 16 on, its literal is looked up. */
const LENGTHS = [8, 15, 16, 32, 64, 128];

export const grown = [
  ...SIZES.map((kib) => ({
    what: `unknown fields up to ${kib} KiB`,
    text: withUnknownFields(kib * 1024),
  })),
  ...LENGTHS.map((length) => ({
    what: `8 numbers of ${length} characters`,
    text: withNumbers(length),
  })),
];

/** @returns {import('./candidates.js').Candidate[][]} */
export function growthSets() {
  return grown.map(({ text }) => [
    {
      name: 'JSON.parse',
      group: 'base',
      inputs: [text],
      run: (body) => JSON.parse(body),
      note: '',
    },
    {
      name: 'ours',
      group: 'ours',
      inputs: [text],
      run: (body) => parseDepositReceived(body),
      note: '',
    },
  ]);
}

/** The deposit with as many unknown fields as fit. */
function withUnknownFields(size) {
  const fields = { ...sample };
  let room = size - JSON.stringify(fields).length;
  for (let index = 0; room >= 60; index += 1) {
    fields[`unknownField${String(index).padStart(5, '0')}`] = 'a value of thirty-two characters';
    room = size - JSON.stringify(fields).length;
  }
  return JSON.stringify(fields) + ' '.repeat(room);
}

/** The deposit with each amount of it as a literal of so many characters, 78 of them digits that count. */
function withNumbers(length) {
  const digits = '9'.repeat(Math.min(length, 78) - 2);
  const isAmount = (name) => typeof sample[name] === 'number' && !/At$|Time$/.test(name);
  const text = JSON.stringify(sample, (name, value) => (isAmount(name) ? 'LITERAL' : value));
  return text.replaceAll('"LITERAL"', `0.${digits.padStart(length - 2, '0')}`);
}
