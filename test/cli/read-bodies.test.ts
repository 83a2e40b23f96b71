import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, symlinkSync, writeSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { type Input, readBodies } from '../../src/cli/read-bodies.js';
import { deposit, withdrawal } from '../sample-bodies.js';
import { temporaryFolder } from './terminal.js';

const { folder, write } = temporaryFolder();

const one = deposit();
const two = withdrawal();
const MAX_BYTES = 65_536;
/** More than a body may have. */
const many = `${one}\n`.repeat(100);

/** Reads files, or standard input in chunks of some size. */
function read(paths: readonly string[], content: string | Buffer = '', size = MAX_BYTES) {
  const bytes = Buffer.from(content);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return readFrom(paths, Readable.from(chunks));
}

async function readFrom(paths: readonly string[], input: Readable, afterEach = () => {}) {
  const err: string[] = [];
  const reading = { files: 0, unread: 0 };
  const inputs: Input[] = [];
  const warn = (text: string) => void err.push(text);
  for await (const found of readBodies(paths, { input, warn } as never, reading)) {
    inputs.push(found);
    afterEach();
  }
  const places = inputs.map(({ place }) => relative(folder, place));
  const bodies = inputs.map(({ body }) => body.toString('latin1'));
  return { places, bodies, inputs, reading, err: err.join('') };
}

test.each<[what: string, content: string | Buffer]>([
  ['a body', `${one}\n`],
  ['a body with empty lines around it', `\n\r\n${one}\n\n`],
  ['gzip', gzipSync(one)],
  ['a list, over several lines', `[\n${one},\n${two}\n]`],
  ['two bodies in one line', `${one}${two}`],
  ['a body, and a line that is no JSON', `${one}\n// the first`],
])('%s is one body, unchanged: in a file, and from standard input', async (_, content) => {
  const path = write('one.json', content);
  for (const [from, chunk] of [[path], ['-'], ['-', 100]] as [string, number?][]) {
    const { inputs, err, reading } = await read([from], content, chunk);
    const body = Buffer.from(content);
    expect(inputs).toMatchObject([{ body, saved: null }]);
    expect({ err, reading }).toStrictEqual({ err: '', reading: { files: 1, unread: 0 } });
  }
});

test.each<[what: string, content: string, bodies: string[], lines: string]>([
  ['two bodies', `${one}\n${two}`, [one, two], '1,2'],
  ['a byte-order mark', `\ufeff[]\n${two}`, ['\u00ef\u00bb\u00bf[]', two], '1,2'],
  ['empty lines', `\n${one}\r\n\r\n \t\n${two}\r\n\n`, [`${one}\r`, `${two}\r`], '2,5'],
  ['rubbish after the first 64 KiB', `${many}{bad\n`, [...Array(100).fill(one), '{bad'], ''],
  ['so many, and one that is cut off', `${many}{"a`, [...Array(100).fill(one), '{"a'], ''],
])('lines of JSON are one body each: %s', async (_, content, expected, lines) => {
  const path = write('many.JSONL', content);
  for (const [from, chunk] of [[path], ['-'], ['-', 1000]] as [string, number?][]) {
    const { bodies, places } = await read([from], content, chunk);
    expect(bodies).toStrictEqual(expected);
    if (lines !== '') expect(places.map((place) => place.split(':')[1]).join()).toBe(lines);
  }
});

test.each<[what: string, name: string, content: string, places: string[]]>([
  ['two lines in a file that is one body', 'a.json', `${one}\n${two}`, ['a.json']],
  ['one line in a file of lines', 'b.ndjson', `${one}\n`, ['b.ndjson:1']],
  ['a line that is no JSON in a file of lines', 'c.jsonl', `${one}\nx`, ['c.jsonl:1', 'c.jsonl:2']],
  ['no line in a file of lines', 'd.jsonl', '\n', []],
])('the name of a file decides: %s', async (_, name, content, places) => {
  expect((await read([write(name, content)])).places).toStrictEqual(places);
});

test('of a body that is too long, as much is read as an endpoint reads', async () => {
  const long = one.padEnd(200_000, 'x');
  const start = long.slice(0, MAX_BYTES + 1);
  expect((await read(['-'], long, MAX_BYTES)).bodies).toStrictEqual([start]);
  const { bodies } = await read([write('long.jsonl', `${long}\n${two}\n${long}`)]);
  expect(bodies).toStrictEqual([start, two, start]);
});

test('a device and a pipe that never end are read up to that length', async () => {
  expect((await read(['/dev/zero'])).bodies).toStrictEqual(['\0'.repeat(MAX_BYTES + 1)]);
  let chunks = 0;
  function* endless() {
    for (; ; chunks += 1) yield Buffer.from('y\n'.repeat(1000));
  }
  const { bodies } = await readFrom(['-'], Readable.from(endless()));
  expect(bodies[0]).toHaveLength(MAX_BYTES + 1);
  expect(chunks).toBeLessThan(100);
});

test('files of a folder are read by their names, and no link to a folder is followed', async () => {
  const path = join(folder, 'callbacks');
  const names = ['b.json', 'a.txt', 'inside/c.json', '.d.json'];
  for (const name of names) write(`callbacks/${name}`, one);
  symlinkSync('.', join(path, 'self'));
  symlinkSync('none', join(path, 'broken'));
  symlinkSync('b.json', join(path, 'link.json'));
  const { places, reading } = await read([path]);
  expect(places).toStrictEqual(['a.txt', 'b.json', 'link.json'].map((name) => `callbacks/${name}`));
  expect(reading).toStrictEqual({ files: 3, unread: 0 });
  // A link that is named is meant.
  expect((await read([join(path, 'self')])).places).toHaveLength(3);
});

test('of a folder, only files are read: no pipe or device has to be waited for', async () => {
  const [a, b, c] = [...'012'].map((digit) => `review/x.${digit.repeat(16)}`);
  for (const name of [a, b]) write(`${name}.json`, one);
  const pipes = [`${a}.txt`, `${c}.json`, 'review/y.json'].map((name) => join(folder, name));
  execFileSync('mkfifo', pipes);
  // Open and with content, so that whoever reads one gets something wrong, and doesn't hang.
  for (const pipe of pipes) {
    const file = openSync(pipe, 'r+');
    writeSync(file, 'from a pipe');
    onTestFinished(() => closeSync(file));
  }
  symlinkSync('/dev/zero', join(folder, `${b}.txt`));
  symlinkSync('/dev/zero', join(folder, 'review/z.json'));
  const { inputs, places, reading } = await read([join(folder, 'review')]);
  expect(places).toStrictEqual([`${a}.json`, `${b}.json`]);
  expect(inputs.map(({ saved }) => saved?.reason)).toStrictEqual([null, null]);
  expect(reading).toStrictEqual({ files: 2, unread: 0 });
});

test('a file that can not be read is named, and one of a folder that has gone is not', async () => {
  for (const name of ['a', 'c', 'd']) write(`several/${name}.json`, one);
  symlinkSync('b.json', join(folder, 'several/b.json'));
  const { places, err, reading } = await readFrom(
    ['a\nb', join(folder, 'several')],
    Readable.from([]),
    () => rmSync(join(folder, 'several/c.json'), { force: true }),
  );
  expect(places).toStrictEqual(['several/a.json', 'several/d.json']);
  expect(reading).toStrictEqual({ files: 2, unread: 2 });
  const received = "can't be read:";
  const [first, second, ...others] = err.split('\n');
  expect(first).toBe(
    `payment-notifications: a\\u000ab: ${received} ENOENT (no such file or directory)`,
  );
  expect(second).toContain(`payment-notifications: ${folder}/several/b.json: ${received} ELOOP (`);
  expect(others).toStrictEqual(['']);
});
