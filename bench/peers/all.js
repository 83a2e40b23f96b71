// Everything that a merchant would write instead, as the tables name it.
import { parse as parseLossless } from 'lossless-json';
import { byHand } from './by-hand.js';
import { valibot } from './valibot.js';
import { zod } from './zod.js';

/**
 * @typedef {object} Reader
 * @property {(fields: unknown) => unknown} deposit Reads a deposit. Each peer has its own form of
 * outcome.
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

/** @type {Peer[]} */
export const peers = [
  { name: 'by hand', group: 'by hand', reader: byHand(false), parseText: JSON.parse },
  { name: 'valibot', group: 'library', reader: valibot(), parseText: JSON.parse },
  { name: 'zod', group: 'library', reader: zod(), parseText: JSON.parse },
  {
    name: 'by hand, lossless-json',
    group: 'lossless',
    reader: byHand(true),
    parseText: (text) => parseLossless(text),
  },
];
