import type { EventEmitter } from 'node:events';
import { type Tally, type TallyOptions, tallyLines } from './tally.js';

/** The part of a `Worker`, or of its port in the thread itself, that is used here. */
interface Thread extends Pick<EventEmitter, 'on'> {
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

interface Member {
  readonly thread: WorkerThread;
  /** Whoever waits for a tally. A thread answers in the order in which it is asked. */
  readonly waiting: { resolve(tally: Tally): void; reject(error: Error): void }[];
}

/**
 * The main thread and others, which take turns. The main thread takes the first part, so that a small archive
 * starts no thread; each other one starts at its first turn.
 */
export function createCrew(
  options: TallyOptions,
  threads: number,
  startThread: (options: TallyOptions) => WorkerThread,
): Crew {
  const members: Member[] = [];
  let turn = -1;
  return {
    async tally(lines) {
      turn = (turn + 1) % threads;
      if (turn === 0) return tallyLines(lines, options);
      const member = members[turn - 1] ?? hire(startThread(options));
      members[turn - 1] = member;
      return new Promise((resolve, reject) => {
        member.waiting.push({ resolve, reject });
        member.thread.postMessage(lines, [bufferOf(lines)]);
      });
    },
    dismiss() {
      for (const { thread } of members) thread.terminate();
    },
  };
}

function hire(thread: WorkerThread): Member {
  const waiting: Member['waiting'] = [];
  thread.on('message', (tally: Tally) => waiting.shift()?.resolve(tally));
  thread.on('error', (error: Error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  return { thread, waiting };
}

/** The memory of an array, which moves to another thread as a whole. */
function bufferOf(array: Uint8Array | Uint32Array): ArrayBuffer {
  return array.buffer as ArrayBuffer;
}
