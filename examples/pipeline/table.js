import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Pipeline } from './start.js' */
/** @import { Sender } from './send.js' */

/**
 * Prints once a second how far a pipeline is, until it is stopped. `-` stands for what did not answer.
 *
 * @param {Pipeline} pipeline
 * @param {Sender} sender
 */
export function printTable(pipeline, { sent }) {
  const start = performance.now();
  const end = new AbortController();
  const print = (/** @type {unknown[]} */ cells) =>
    console.log(cells.map((cell) => `${cell ?? '-'}`.padStart(13)).join(''));
  print(['seconds', 'answered', 'in stream', 'unsettled', 'settled', 'restarts']);
  async function run() {
    while (!end.signal.aborted) {
      await sleep(1_000, null, end).catch(() => {});
      const { inStream, unsettled, settled } = await pipeline.status();
      const seconds = ((performance.now() - start) / 1_000).toFixed(0);
      print([seconds, sent.answered, inStream, unsettled, settled, pipeline.restarts()]);
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
