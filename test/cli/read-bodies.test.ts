import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createReading, type Input, readBodies } from '../../src/cli/read-bodies.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const one = deposit();
const two = withdrawal();
const pretty = JSON.stringify(JSON.parse(one), null, 2);
const height = pretty.split('\n').length;
const escaped = JSON.stringify({ level: 30, body: two });
const cut = one.slice(0, 200);
const MAX_BYTES = 65_536;

/** What is read of standard input, which comes in chunks of some size. */
async function read(content: string | Buffer, chunk = 65_536) {
  const bytes = Buffer.from(content);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunk) chunks.push(bytes.subarray(at, at + chunk));
  const err: string[] = [];
  const reading = createReading();
  const inputs: Input[] = [];
  const terminal = {
    ...{ input: Readable.from(chunks), print() {}, warn: (text: string) => void err.push(text) },
    ...{ columns: 80, colors: false, interrupt: new AbortController().signal },
  };
  for await (const batch of readBodies(['-'], terminal, reading)) inputs.push(...batch);
  const places = inputs.map(({ place, isFile }) => (isFile ? 'file' : place.split(':')[1]));
  return { places, inputs, reading, err: err.join('') };
}

/** More than 1 MiB, so that it is read line by line. */
const long = 'INFO nothing\n'.repeat(81_000);

describe('a text', () => {
  test.each<[what: string, content: string | Buffer, places: string[], others?: number]>([
    ['of nothing', '', ['file']],
    ['of a body', `${one}\n`, ['file']],
    ['of a body over several lines', pretty, ['file']],
    ['of a body that is refused', '{"depositId":1}', ['file']],
    ['of an object', '{}', ['file']],
    ['of a body that is cut off', `${cut}\n`, ['file']],
    ['of rubbish', 'hello\nworld', ['file']],
    ['of gzip', gzipSync(one), ['file']],
    ['of a body of 64 KiB', one.padEnd(MAX_BYTES), ['file']],
    ['of a larger one', one.padEnd(MAX_BYTES + 1), ['file']],
    ['of the start of a larger one', `[${`${one},`.repeat(99)}`.slice(0, MAX_BYTES + 1), ['file']],
    ['of a body in a list', `[${one}]`, ['file']],
    ['of a body in a string', JSON.stringify(one), ['file']],
    ['of a body in an object, which may be what was sent', `{"data":${one}}`, ['file']],
    ['of a line of a log of JSON', escaped, ['1']],
    ['of a line of a log', `INFO ${one}`, ['1']],
    ['of a body a line', `${one}\n\n${two}\r\n`, ['1', '3']],
    ['of a list', `[\n${one},\n${two}\n]`, ['2', '3']],
    ['of a log', `INFO\n${escaped}\nINFO ${one}\nx`, ['2', '3'], 2],
    ['of a log with two bodies in a line', `INFO\n${one} ${two}`, ['2', '2'], 1],
    ['of a log, over several lines', `x\n> ${pretty}\n${one}`, ['2', `${height + 2}`], 1],
    ['with a line that is cut off', `${one}\n${cut}\n${two}`, ['1', '2', '3']],
    ['cut off after a comma', `${one}\n{"depositId":1,\n${two}`, ['1', '2', '3']],
    ['with a body of too few fields', `${one}\n{"depositId":1}`, ['1', '2']],
    ['with other JSON that names an id', `${one}\n{"depositId":1,"ms":3}\n{}`, ['1'], 2],
    ['with an object that never ends', `{"a":[\n${one}\n{"b":\n`, ['2'], 2],
  ])('%s', async (_, content, places, others = 0) => {
    for (const chunk of [65_536, 1000]) {
      const { reading, err, ...found } = await read(content, chunk);
      expect(found.places).toStrictEqual(places);
      expect([reading.others, err]).toStrictEqual([others, '']);
    }
  });

  test('of more than 1 MiB is read line by line', async () => {
    const lines = [
      `${one}\r`,
      '',
      `INFO ${two} x`,
      cut,
      escaped,
      `${one} ${two}`,
      pretty,
      '{"status":"ok"}',
    ];
    const { places, inputs, reading } = await read(`${long}${lines.join('\n')}`);
    const from = 81_000;
    expect(places).toStrictEqual([1, 3, 4, 5, 6, 6].map((line) => `${from + line}`));
    expect(inputs.map(({ body }) => `${body}`)).toStrictEqual([
      `${one}\r`,
      two,
      cut,
      two,
      one,
      two,
    ]);
    expect(reading).toMatchObject({
      others: from + height + 1,
      firstOther: 'standard input:1',
      unread: [],
    });
  });

  test('without a body is one, unless it has more than 1 MiB', async () => {
    expect((await read(long)).places).toStrictEqual([]);
    expect((await read(long.slice(0, 1_048_576))).places).toStrictEqual(['file']);
  });
});

test.each<[string, number, string[]]>([
  ['of 1 MiB', 1_048_576, [`${one}`, two]],
  ['of more, at the end', 3_000_000, [two]],
])('a line %s', async (_, length, bodies) => {
  const lines = `${long}${two}\n${one.padEnd(length)}`;
  const { inputs, err, reading } = await read(lines);
  expect(inputs.map(({ body }) => `${body}`.trim()).reverse()).toStrictEqual(bodies);
  const told = `standard input:81002`;
  expect(reading.unread).toStrictEqual(bodies.length === 2 ? [] : [told]);
  expect(err).toBe(
    bodies.length === 2
      ? ''
      : `payment-notifications: ${told}: expected lines of up to 1048576 bytes. Split a list with jq -c '.[]'\n`,
  );
});

test('a line of more than 1 MiB is skipped, and the next ones are read', async () => {
  const { places, err } = await read(
    `${'x'.repeat(3_000_000)}\n${one}\n${'y'.repeat(2_000_000)}\n${two}`,
  );
  expect(places).toStrictEqual(['2', '4']);
  expect(err.split('\n')).toHaveLength(3);
});

test('bytes that are not UTF-8 stay as they are', async () => {
  const bad = Buffer.from(deposit({ network: '"\u00ff"' }), 'latin1');
  for (const start of ['INFO ', `${long}INFO `]) {
    const { inputs } = await read(Buffer.concat([Buffer.from(start), bad, Buffer.from(' x\n')]));
    expect(inputs.map(({ body }) => body)).toStrictEqual([bad]);
  }
});
