// Times every case, and prints a table: node bench/run.js [folder of another build]
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { Bench } from 'tinybench';
import * as dist from '../dist/index.js';
import { cases } from './cases.js';
import { peers } from './peers.js';

const ROUNDS = 120;
const WARMUP_ROUNDS = 40;
/** How many bodies of a case are compared. */
const COMPARED = 50;

const ours = candidateOf('ours', dist);
const candidates = [ours, ...peers];
const [other] = process.argv.slice(2);
if (other) {
  const url = pathToFileURL(resolve(other, 'dist/index.js'));
  candidates.splice(1, 0, candidateOf('other build', await import(url.href)));
}

/** @public Has the last result, so that the compiler can't drop the work. */
export let sink;

// tinybench runs one task after another. Short rounds interleave them, so that noise hits all alike.
const bench = new Bench({ time: 5, iterations: 10, warmup: false, throws: true });
const sets = cases.map(({ name, kind, texts }) =>
  candidates.map((candidate, place) => {
    const { parse, [kind]: read } = candidate;
    // Each begins elsewhere, because V8 still has the text of the numbers that were just read.
    let turn = place * 151;
    const task = `${name}: ${candidate.name}`;
    bench.add(task, () => {
      sink = read(parse(texts[turn++ % texts.length]));
    });
    return { task, note: noteOf(candidate, kind, texts), times: [] };
  }),
);
for (let round = 0; round < ROUNDS; round += 1) {
  bench.reset();
  bench.runSync();
  if (round < WARMUP_ROUNDS) continue;
  for (const { task, times } of sets.flat()) {
    times.push(bench.getTask(task).result.latency.p50 * 1000);
  }
}

const [, ...others] = candidates.map(({ name }) => name);
const rows = sets.map(([base, ...set], index) => {
  const ratios = set.map(({ times, note }) => {
    const ratio = median(times.map((time, round) => time / base.times[round]));
    return ratio.toFixed(2) + note;
  });
  return [cases[index].name, median(base.times).toFixed(2), ...ratios];
});
const date = new Date().toISOString().slice(0, 10);
console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}, ${date}.\n`);
console.log(table([['', 'ours, µs', ...others], ['---', ...candidates.map(() => '---')], ...rows]));

/** A build of this package, in the form of a peer. */
function candidateOf(name, { safeParseDepositReceived, safeParseWithdrawalBroadcast }) {
  return {
    name,
    parse: (text) => text,
    deposit: (text) => safeParseDepositReceived(text),
    withdrawal: (text) => safeParseWithdrawalBroadcast(text),
    outcomeOf: ({ notification, error }) => {
      if (error) return { faults: error.issues.map(({ path }) => path[0]) };
      const { type, warnings, additionalFields, ...fields } = notification;
      return { ...fields, ...additionalFields };
    },
  };
}

/** Returns what a candidate does less than ours. Throws if their outcomes differ otherwise. */
function noteOf(candidate, kind, texts) {
  let note = '';
  for (const text of texts.slice(0, COMPARED)) {
    const [theirs, expected] = [candidate, ours].map(({ parse, [kind]: read, outcomeOf }) =>
      outcomeOf(read(parse(text))),
    );
    for (const [name, value] of Object.entries(expected)) {
      const their = theirs[name];
      if (plain(their) === plain(value)) continue;
      if (name === 'unknown' && their === undefined) note = ', drops unknown fields';
      else if (isRounded(their, value)) note = ', loses digits';
      else throw new Error(`${candidate.name}: ${name} is ${plain(their)}, not ${plain(value)}`);
    }
  }
  return note;
}

function isRounded(their, value) {
  return value instanceof dist.Decimal && String(their) === String(new dist.Decimal(Number(value)));
}

/** A peer may leave out a field that is null, and has no `additionalFields`. */
function plain(value = null) {
  return JSON.stringify(value, (key, part) => (key === 'additionalFields' ? undefined : part));
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

/** A Markdown table that also reads well in a terminal. */
function table(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column])));
  return padded.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
