// Whether time stays in proportion to the body: bodies of one kind, larger and larger.
import { parseDepositReceived } from '../dist/index.js';
import { bodies } from './bodies.js';

const sample = JSON.parse(bodies[0].text);

/** Sizes of the whole body, in KiB; 64 is the most that is read. */
const SIZES = [1, 4, 16, 64];
/** Lengths of a number; from 16 characters on, the exact reader takes over. */
const LENGTHS = [1, 2, 4, 8, 15, 16, 32, 64, 128];

export const sizes = SIZES.map((kib) => grown(`${kib} KiB`, withUnknownFields(kib * 1024)));
export const lengths = LENGTHS.map((length) => grown(String(length), withNumbers(length)));

function grown(name, text) {
  return {
    name,
    bytes: Buffer.byteLength(text),
    set: [
      { name: 'JSON.parse', group: 'base', run: () => JSON.parse(text) },
      { name: 'ours from text', group: 'ours', run: () => parseDepositReceived(text) },
    ],
  };
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

/** The deposit with each number of it as a literal of so many characters, 78 of them digits that count. */
function withNumbers(length) {
  const digits = '9'.repeat(Math.min(length, 78));
  const literal =
    length < 3 ? digits : `0.${digits.slice(0, length - 2).padStart(length - 2, '0')}`;
  const isAmount = (name) => typeof sample[name] === 'number' && !/At$|Time$/.test(name);
  const text = JSON.stringify(sample, (name, value) => (isAmount(name) ? 'LITERAL' : value));
  return text.replaceAll('"LITERAL"', literal);
}
