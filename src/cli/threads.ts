import type { EventEmitter } from 'node:events';
import { type Tally, type TallyOptions, tallyLines } from './tally.js';

/** Another thread, as far as it is needed: a `Worker` or, in the thread itself, its port. */
export interface Thread extends Pick<EventEmitter, 'on'> {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
}

/** A thread that can be ended. */
export interface WorkerThread extends Thread {
  terminate(): unknown;
}

/** What reads parts of an archive, several at once. */
export interface Crew {
  tally(lines: Uint8Array): Promise<Tally>;
  dismiss(): void;
}

/** Reads what the main thread sends: in every thread but the main one. */
export function serve(port: Thread, options: TallyOptions): void {
  port.on('message', (lines: Uint8Array) => {
    const tally = tallyLines(lines, options);
    port.postMessage(tally, [bufferOf(tally.events), bufferOf(tally.refused), tally.memory]);
  });
}

interface Waiting {
  resolve(tally: Tally): void;
  reject(error: Error): void;
}

/** Threads that take turns. Each answers in the order in which it is asked. */
export function createCrew(start: () => WorkerThread, size: number): Crew {
  const members = Array.from({ length: size }, () => {
    const thread = start();
    const waiting: Waiting[] = [];
    thread.on('message', (tally: Tally) => waiting.shift()?.resolve(tally));
    thread.on('error', (error: Error) => {
      for (const { reject } of waiting.splice(0)) reject(error);
    });
    return { thread, waiting };
  });
  let turn = 0;
  return {
    tally: (lines) =>
      new Promise((resolve, reject) => {
        const member = members[turn % size];
        turn += 1;
        member?.waiting.push({ resolve, reject });
        member?.thread.postMessage(lines, [bufferOf(lines)]);
      }),
    dismiss() {
      for (const { thread } of members) thread.terminate();
    },
  };
}

/** The memory of an array, which moves to another thread as a whole. */
function bufferOf(array: Uint8Array | Uint32Array): ArrayBuffer {
  return array.buffer as ArrayBuffer;
}
