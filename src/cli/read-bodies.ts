import { isUtf8 } from 'node:buffer';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { findBodies, findBodiesWithin, isBody, isBrokenBody } from '../inspect/find-bodies.js';
import { MAX_BYTES, type OpenBody, openBody } from '../parser/body.js';
import { escapeUnprintable } from '../parser/messages.js';
import { printError } from './errors.js';
import { redactUrlsIn } from './redact.js';
import type { Terminal } from './terminal.js';

/** A body, and where it was. */
export interface Input {
  /** The file, or the file and the line, such as `callbacks.log:2`. */
  readonly place: string;
  /** Bytes as they were, or text that was unescaped. */
  readonly body: Buffer | string;
  /** Whether it is all of its file. */
  readonly isFile: boolean;
  /** The same body, if it was opened already. */
  readonly opened?: OpenBody;
}

/** What was read besides bodies. */
export interface Reading {
  files: number;
  /** Lines of text without a body. */
  others: number;
  /** The first of them. */
  firstOther: string | null;
  /** Files that could not be read to the end. */
  readonly unread: string[];
}

/** The file name that stands for standard input. */
export const STDIN = '-';
/** A larger file is read line by line, and a longer line is skipped. */
const MAX_TEXT = 1024 * 1024;
const [LINE_BREAK, BRACE] = [0x0a, 0x7b];

/** A file name for messages. It may be a URL, by mistake. */
export function nameOf(file: string): string {
  return file === STDIN ? 'standard input' : escapeUnprintable(redactUrlsIn(file));
}

export function createReading(): Reading {
  return { files: 0, others: 0, firstOther: null, unread: [] };
}

/**
 * Reads the bodies of files and of the files in folders, in batches. A file may be one body, or
 * have bodies in its lines.
 */
export async function* readBodies(
  paths: readonly string[],
  terminal: Terminal,
  reading: Reading,
): AsyncGenerator<Input[]> {
  for (const path of paths) {
    try {
      if (isFolder(path)) yield* readBodies(filesIn(path), terminal, reading);
      else {
        reading.files += 1;
        yield* readFile(path, terminal, reading);
      }
    } catch (error) {
      if (terminal.interrupt.aborted) return;
      // The other files can still be read.
      fail(nameOf(path), Object(error).message, terminal, reading);
    }
  }
}

function fail(place: string, message: string, terminal: Terminal, reading: Reading): void {
  printError(terminal, `${place}: ${message}`);
  reading.unread.push(place);
}

function isFolder(path: string): boolean {
  return path !== STDIN && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Lists the files in a folder by their names, without hidden ones and those of folders in it. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'));
  const names = files.map(({ name }) => name).sort();
  // A store writes the reason next to a body.
  const isReason = (name: string) =>
    name.endsWith('.txt') && names.includes(`${name.slice(0, -'.txt'.length)}.json`);
  return names.filter((name) => !isReason(name)).map((name) => join(folder, name));
}

function openInput(file: string, { input, interrupt, warn }: Terminal): Readable {
  if (file === STDIN && input.isTTY) warn('reading standard input; press Ctrl-D to finish\n');
  return addAbortSignal(interrupt, file === STDIN ? input : createReadStream(file));
}

async function* readFile(
  path: string,
  terminal: Terminal,
  reading: Reading,
): AsyncGenerator<Input[]> {
  const name = nameOf(path);
  const lines = createLines();
  let count = 0;
  const inputsOf = (line: Buffer | null): Input[] => {
    count += 1;
    const place = `${name}:${count}`;
    if (line !== null) return readLine(line, place, reading);
    const message = `expected lines of up to ${MAX_TEXT} bytes. Split a list with jq -c '.[]'`;
    fail(place, message, terminal, reading);
    return [];
  };
  let start: Buffer | null = Buffer.alloc(0);
  for await (const chunk of openInput(path, terminal)) {
    const bytes: Buffer = start === null ? chunk : Buffer.concat([start, chunk]);
    start = start !== null && bytes.length <= MAX_TEXT ? bytes : null;
    if (start === null) yield lines.push(bytes).flatMap(inputsOf);
  }
  yield start === null ? lines.end().flatMap(inputsOf) : readText(start, name, reading);
}

/** Splits chunks into lines. Null stands for a line that is too long. */
function createLines() {
  let rest: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  return {
    push(chunk: Buffer): (Buffer | null)[] {
      const bytes = Buffer.concat([rest, chunk]);
      const lines: (Buffer | null)[] = [];
      let start = 0;
      let end = bytes.indexOf(LINE_BREAK);
      while (end !== -1) {
        lines.push(isTooLong ? null : bytes.subarray(start, end));
        isTooLong = false;
        start = end + 1;
        end = bytes.indexOf(LINE_BREAK, start);
      }
      isTooLong ||= bytes.length - start > MAX_TEXT;
      rest = isTooLong ? Buffer.alloc(0) : bytes.subarray(start);
      return lines;
    },
    end: (): (Buffer | null)[] => [isTooLong ? null : rest],
  };
}

/** Reads a whole file. If there is no body in its text, it is one, and faulty. */
function readText(bytes: Buffer, name: string, reading: Reading): Input[] {
  const { text, encode } = decode(bytes);
  // `listen` and a receiver save such a start of a body that is too large.
  const found = bytes.length === MAX_BYTES + 1 ? [] : findBodies(text);
  const lines: (string | null)[] = text.split('\n');
  const inputs = found.map(({ body, line, start, end }) => {
    lines.fill(null, line - 1, line - 1 + text.slice(start, end).split('\n').length);
    return { line, input: { place: `${name}:${line}`, body: encode(body), isFile: false } };
  });
  const [first] = found;
  if (first === undefined || first.body === text) {
    return [{ place: name, body: bytes, isFile: true }];
  }
  for (const [index, line] of lines.entries()) {
    if (line === null) continue;
    const place = `${name}:${index + 1}`;
    const others = readLine(Buffer.from(encode(line)), place, reading);
    inputs.push(...others.map((input) => ({ line: index + 1, input })));
  }
  return inputs.sort((one, other) => one.line - other.line).map(({ input }) => input);
}

function readLine(line: Buffer, place: string, reading: Reading): Input[] {
  const toInput = (body: Buffer | string): Input => ({ place, body, isFile: false });
  // Most lines of an archive are a body, and most of a log have none. Neither needs a search.
  const opened = line[0] === BRACE ? openBody(line) : null;
  if (opened?.fields && isBody(opened.fields)) return [{ ...toInput(line), opened }];
  const { text, encode } = decode(line);
  const found = line.includes(BRACE) ? findBodiesWithin(text) : [];
  if (found.length === 0 && opened?.fields === null && isBrokenBody(text)) return [toInput(line)];
  if (found.length === 0 && /[^\s[\],]/.test(text)) {
    reading.others += 1;
    reading.firstOther ??= place;
  }
  return found.map(({ body }) => toInput(encode(body)));
}

/** Decodes bytes. Those that are not UTF-8 stay as they are in a body, because that is a fault. */
function decode(bytes: Buffer) {
  if (isUtf8(bytes)) return { text: bytes.toString(), encode: String };
  const encode = (text: string): Buffer => Buffer.from(text, 'latin1');
  return { text: bytes.toString('latin1'), encode };
}
