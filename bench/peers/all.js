// Everything that a merchant would write instead, as the tables name it.
import { parse as parseLossless } from 'lossless-json';
import { byHand } from './by-hand.js';
import { typebox } from './typebox.js';
import { valibot } from './valibot.js';
import { zod } from './zod.js';

/**
 * @callback MakePeer
 * @param {boolean} isLossless Whether numbers come as LosslessNumbers.
 * @returns {Reader}
 *
 * @typedef {object} Reader
 * @property {(fields: unknown) => unknown} deposit Reads a deposit; the outcome has a form of the peer's own.
 * @property {(fields: unknown) => unknown} withdrawal
 * @property {(outcome: any) => Outcome} outcomeOf That outcome in one form; not timed.
 *
 * @typedef {object} Outcome One of the two.
 * @property {object} [notification]
 * @property {string[]} [faults] The names of the faulty fields.
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {'library' | 'by hand' | 'lossless'} group
 * @property {Reader} reader
 * @property {(text: string) => unknown} parseText
 */

const READERS = [
  { name: 'zod', group: 'library', make: zod },
  { name: 'valibot', group: 'library', make: valibot },
  { name: 'TypeBox, mapped by hand', group: 'library', make: typebox },
  { name: 'written by hand', group: 'by hand', make: byHand },
];

/** @type {Peer[]} */
export const peers = [
  ...READERS.map(({ make, ...peer }) => ({ ...peer, reader: make(false), parseText: JSON.parse })),
  ...READERS.map(({ name, make }) => ({
    name: `${name}, lossless-json`,
    group: 'lossless',
    reader: make(true),
    parseText: (text) => parseLossless(text),
  })),
];
