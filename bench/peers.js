// What a merchant would write instead, as the tables name it.
import { parse as parseLossless } from 'lossless-json';
import { byHand } from './peers/by-hand.js';
import { typebox } from './peers/typebox.js';
import { valibot } from './peers/valibot.js';
import { zod } from './peers/zod.js';

/**
 * @callback MakePeer
 * @param {boolean} isLossless Whether numbers come as LosslessNumbers.
 * @returns {Reader}
 *
 * @typedef {object} Reader
 * @property {(fields: unknown) => unknown} deposit Reads a deposit, and tells the outcome its own way.
 * @property {(fields: unknown) => unknown} withdrawal
 * @property {(told: any) => Outcome} outcomeOf What it told; not timed.
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

const READERS = Object.entries({
  zod,
  valibot,
  'TypeBox, mapped by hand': typebox,
  'written by hand': byHand,
});

/** @type {Peer[]} */
export const peers = [
  ...READERS.map(([name, make]) => ({
    name,
    group: make === byHand ? 'by hand' : 'library',
    reader: make(false),
    parseText: JSON.parse,
  })),
  ...READERS.map(([name, make]) => ({
    name: `${name}, lossless-json`,
    group: 'lossless',
    reader: make(true),
    parseText: (text) => parseLossless(text),
  })),
];
