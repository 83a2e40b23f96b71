// Loaded into every thread of a build (NODE_OPTIONS=--import): the worker that writes the declarations of
// the entry SLOW begins only when the file AFTER is there, which another worker writes.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { isMainThread, parentPort } from 'node:worker_threads';

const { SLOW, AFTER = '' } = process.env;

if (SLOW && !isMainThread && parentPort) {
  const on = parentPort.on.bind(parentPort);
  parentPort.on = (event, listener) =>
    on(event, (/** @type {any} */ data) => {
      const begin = () => {
        if (SLOW in data.options.entry && !existsSync(AFTER)) setTimeout(begin, 20);
        else listener(data);
      };
      begin();
    });
}
