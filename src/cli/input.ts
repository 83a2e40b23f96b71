import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MAX_BYTES, openBody } from '../internal/body.js';
import { escapeUnprintable } from '../internal/quote.js';
import { printError } from './errors.js';
import { redactUrlsIn } from './redact.js';
import type { Terminal } from './terminal.js';

/** The file name that stands for standard input. */
export const STDIN = '-';

/** A file name for messages. It may be a URL, by mistake. */
export function nameOf(file: string): string {
  return file === STDIN ? 'standard input' : escapeUnprintable(redactUrlsIn(file));
}

/** A file, or a line of an archive. */
export interface Input {
  /** The file, or file and line number, such as `archive.ndjson:2`. */
  readonly label: string;
  readonly body: Buffer;
}

/**
 * Reads files in turn, until Ctrl-C. Reports those that can't be read to the end, and adds their
 * names to `unread`.
 */
export async function* readEach<T>(
  files: readonly string[],
  terminal: Terminal,
  unread: string[],
  read: (file: string, terminal: Terminal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  for (const file of files) {
    try {
      yield* read(file, terminal);
    } catch (error) {
      if (terminal.interrupt.aborted) return;
      // The other files can still be read.
      printError(terminal, `${nameOf(file)}: ${Object(error).message}`);
      unread.push(nameOf(file));
    }
  }
}

/** Reads a file that has one body. */
export async function* readFile(file: string, terminal: Terminal): AsyncGenerator<Input> {
  yield { label: nameOf(file), body: await readStart(openInput(file, terminal)) };
}

function openInput(file: string, { input, interrupt, warn }: Terminal): Readable {
  if (isFolder(file)) {
    throw new Error('expected a file, received a folder. Pass its files');
  }
  if (file === STDIN && input.isTTY) warn('reading standard input; press Ctrl-D to finish\n');
  return addAbortSignal(interrupt, file === STDIN ? input : createReadStream(file));
}

/** Whether a path is that of a folder. */
export function isFolder(path: string): boolean {
  return path !== STDIN && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Lists the files in a folder by their names, without hidden ones and those of folders in it. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'));
  return files.map(({ name }) => join(folder, name)).sort();
}

/**
 * Reads a file as one body, as `listen` saves it or an editor formats it. Returns null for an
 * archive.
 *
 * A JSON object that spans lines is one body. A `.json` file is one body as well, even if it is not
 * JSON, unless one of its lines is a JSON object.
 */
export function readOnlyBody(file: string): Input | null {
  const found = file === STDIN ? undefined : statSync(file, { throwIfNoEntry: false });
  // The body of a pipe could not be read again.
  if (!found?.isFile() || found.size > MAX_BYTES + 1) return null;
  const body = readFileSync(file);
  const lines = body
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '');
  const isOne = isObject(body) ? lines.length > 1 : file.endsWith('.json') && !lines.some(isObject);
  return isOne && lines.length > 0 ? { label: nameOf(file), body } : null;
}

function isObject(body: string | Buffer): boolean {
  return openBody(body).fields !== null;
}

/** Reads a stream. Stops once it is longer than a body may be. */
export async function readStart(stream: AsyncIterable<Uint8Array> | []): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of stream) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > MAX_BYTES) break;
  }
  return bytes;
}

/** Reads an archive, plain or gzip, in batches of lines, up to the end or to an error. */
export async function* readLines(
  file: string,
  terminal: Terminal,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Input[]> {
  let count = 0;
  const line = (body: Buffer): Input => {
    count += 1;
    return { label: `${nameOf(file)}:${count}`, body };
  };
  let rest = Buffer.alloc(0);
  for await (const chunk of unzip(openInput(file, terminal), onBytes)) {
    const bytes = Buffer.concat([rest, chunk]);
    const lines: Input[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      lines.push(line(bytes.subarray(start, end)));
      start = end + 1;
    }
    // Keep just enough of an overlong line to recognize it as too long.
    rest = bytes.subarray(start, start + MAX_BYTES + 1);
    yield lines;
  }
  if (rest.length > 0) yield [line(rest)];
}

export function isBlank({ body }: Input): boolean {
  return /^[ \t\r]*$/.test(body.toString('latin1'));
}

/** Unzips a gzip file. Other files are unchanged. */
async function* unzip(input: Readable, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  let given = 0;
  const chunks = (async function* () {
    for await (const chunk of input) {
      onBytes(chunk.length);
      given += chunk.length;
      yield chunk;
    }
  })();
  const { value: start = Buffer.alloc(0) } = await chunks.next();
  const whole = (async function* () {
    yield start;
    yield* chunks;
  })();
  // Gzip starts with 0x1f 0x8b, but a pipe may begin with one byte. No text starts with 0x1f.
  if (start[0] !== 0x1f) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip();
  // An error in either stream ends the loop and surfaces there.
  yield* pipeline(whole, gunzip, () => {});
  // After a gzip member, Node.js takes a zero byte for the end, and reports no error.
  if (gunzip.bytesWritten < given) throw new Error('data after the end of the gzip stream');
}
