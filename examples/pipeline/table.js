import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Pipeline } from './start.js' */
/** @import { Sender } from './send.js' */

const WIDTH = 13;

/**
 * Prints once a second how far a pipeline is, until it is stopped. `-` stands for what did not answer.
 *
 * @param {Pipeline} pipeline
 * @param {Sender} sender
 */
export function printTable(pipeline, { sent }) {
  const print = (/** @type {unknown[]} */ cells) =>
    console.log(cells.map((cell) => `${cell ?? '-'}`.padStart(WIDTH)).join(''));
  print([
    'seconds',
    'answered',
    'per second',
    'in stream',
    'unsettled',
    'settled',
    'per second',
    'restarts',
  ]);
  const start = performance.now();
  let before = { seconds: 0, answered: 0, settled: 0 };

  async function tick() {
    const { inStream, unsettled, settled } = await pipeline.status();
    const now = {
      seconds: (performance.now() - start) / 1_000,
      answered: sent.answered,
      settled: settled ?? before.settled,
    };
    const rate = (/** @type {'answered' | 'settled'} */ what) =>
      Math.round((now[what] - before[what]) / (now.seconds - before.seconds));
    print([
      now.seconds.toFixed(0),
      now.answered,
      rate('answered'),
      inStream,
      unsettled,
      settled,
      rate('settled'),
      pipeline.restarts(),
    ]);
    before = now;
  }
  const end = new AbortController();
  async function run() {
    while (!end.signal.aborted) {
      await sleep(1_000, null, end).catch(() => {});
      await tick();
    }
  }
  const done = run();
  return {
    async stop() {
      end.abort();
      await done;
    },
  };
}
