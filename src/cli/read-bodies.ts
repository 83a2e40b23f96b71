import { createReadStream } from 'node:fs';
import { MAX_BYTES } from '../parser/body.js';
import { isJson } from '../shared/members.js';
import { displayName, filesAt, type Saved, STDIN, savedAt } from './files.js';
import { describeSystemError, printError, type Terminal } from './terminal.js';

/** A body, and where it was found. */
export interface Input {
  /** The file, or the file and the line, such as `webhooks.jsonl:2`. */
  readonly place: string;
  /** The bytes, unchanged. If they are more than 64 KiB, the first 64 KiB and one byte. */
  readonly body: Buffer;
  /** For a body in a store: its folder, when it was saved, and why, if that is known. */
  readonly saved: Saved | null;
}

export interface FileCounts {
  files: number;
  /** Files and folders that could not be read. */
  unread: number;
}

const LINE_BREAK = 0x0a;

/**
 * Reads the bodies of files and of the files in folders. A file is one body, but in a `.jsonl` or
 * `.ndjson` file, each line is one. Standard input is read by lines if its first 64 KiB contain
 * several lines, and each of these is JSON.
 */
export async function* readBodies(
  paths: readonly string[],
  terminal: Terminal,
  reading: FileCounts,
): AsyncGenerator<Input> {
  const skip = (path: string, error: unknown): void => {
    printError(terminal, `${displayName(path)}: can't be read: ${describeSystemError(error)}`);
    reading.unread += 1;
  };
  for (const path of paths) {
    for (const file of filesAt(path, skip)) {
      try {
        yield* readFile(file, terminal);
        reading.files += 1;
      } catch (error) {
        // A server may have settled the body since its folder was listed.
        if (Object(error).code !== 'ENOENT') skip(file, error);
      }
    }
  }
}

async function* readFile(path: string, terminal: Terminal): AsyncGenerator<Input> {
  const name = displayName(path);
  const input = path === STDIN ? terminal.input : createReadStream(path);
  if (path === STDIN && terminal.input.isTTY) {
    terminal.warn('reading standard input; press Ctrl-D to finish\n');
  }
  const chunks: AsyncIterableIterator<Buffer> = input[Symbol.asyncIterator]();
  const hasLines = /\.(?:jsonl|ndjson)$/i.test(path);
  const start = hasLines ? Buffer.alloc(0) : await readStart(chunks);
  if (!hasLines && !(path === STDIN && areBodies(startOf(start)))) {
    input.destroy();
    yield { place: name, body: startOf(start), saved: savedAt(path) };
    return;
  }
  let count = 0;
  for await (const line of splitLines(prepend(start, chunks))) {
    count += 1;
    if (`${line}`.trim() !== '') yield { place: `${name}:${count}`, body: line, saved: null };
  }
}

/** Reads as far as an endpoint does, because a device or a pipe may have no end. */
async function readStart(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length <= MAX_BYTES) {
    const { value, done } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  return start;
}

/** Whether a text, or the start of a text, has several lines, and each is a JSON value. */
function areBodies(text: Buffer): boolean {
  const lines = `${text}`.replace(/^\ufeff/, '').split('\n');
  if (text.length > MAX_BYTES) lines.pop(); // it may be incomplete
  const bodies = lines.filter((line) => line.trim() !== '');
  return bodies.length > 1 && bodies.every(isJson);
}

function startOf(body: Buffer): Buffer {
  return body.subarray(0, MAX_BYTES + 1);
}

async function* prepend(start: Buffer, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield start;
  yield* chunks;
}

/** Yields the start of each line: as much as an endpoint would read. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let to = bytes.indexOf(LINE_BREAK); to !== -1; to = bytes.indexOf(LINE_BREAK, from)) {
      yield startOf(bytes.subarray(from, to));
      from = to + 1;
    }
    rest = startOf(bytes.subarray(from));
  }
  yield rest;
}
