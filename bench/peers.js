// What a merchant would write instead, as the table names it.
import { parse as parseLossless } from 'lossless-json';
import { arktype } from './peers/arktype.js';
import { handWritten } from './peers/hand-written.js';
import { typebox } from './peers/typebox.js';
import { valibot } from './peers/valibot.js';
import { zod } from './peers/zod.js';

/**
 * @callback MakePeer
 * @param {boolean} isLossless Whether numbers come as LosslessNumbers.
 * @returns {Peer}
 *
 * @typedef {object} Peer
 * @property {(fields: unknown) => unknown} deposit Reads a deposit, and tells the outcome its own way.
 * @property {(fields: unknown) => unknown} withdrawal
 * @property {(told: any) => import('./compare.js').Outcome} outcomeOf What it told; not timed.
 *
 * @typedef {object} Pipeline A peer, and what reads the text for it.
 * @property {string} name
 * @property {'library' | 'lossless' | 'by hand'} group
 * @property {Peer} peer
 * @property {(text: string) => unknown} parseText
 */

const LIBRARIES = { zod, valibot, arktype, typebox };

/** @type {Pipeline[]} */
export const pipelines = [
  ...Object.entries(LIBRARIES).map(([name, make]) => ({
    name,
    group: 'library',
    peer: make(false),
    parseText: JSON.parse,
  })),
  { name: 'written by hand', group: 'by hand', peer: handWritten(), parseText: JSON.parse },
  ...Object.entries(LIBRARIES).map(([name, make]) => ({
    name: `${name} + lossless-json`,
    group: 'lossless',
    peer: make(true),
    parseText: parseLossless,
  })),
];
