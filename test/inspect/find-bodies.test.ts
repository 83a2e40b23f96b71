import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBodies, findBodiesAndBroken } from '../../src/inspect/find-bodies.js';
import { runs } from '../fuzz/runs.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const one = deposit({ actualDepositAmount: '0.123456789012345678' });
const two = withdrawal({ txAddressOwner: '{"name":"A \\"{b}\\" \\\\ c","category":"é🧾"}' });
const pretty = JSON.stringify(JSON.parse(two), null, 2);
/** As it is written into a JSON string. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/**
 * As nginx logs it: a byte is escaped if it is no printable ASCII, a quotation mark or a backslash.
 */
const nginx = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) =>
      byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
        ? `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`
        : String.fromCharCode(byte),
    )
    .join('');
const csv = (text: string) => text.replaceAll('"', '""');
const quoted = (text: string) => text.replace(/^/gm, '> ');

describe('a body is found', () => {
  test.each<[string, string, string]>([
    ['alone', one, 'whole'],
    ['between white space', `\uFEFF\n ${pretty}\n\n`, 'whole'],
    [
      'in a line of a log',
      `2026-11-23T12:00:00Z INFO [7] callback {id=7} body=${one} in 3ms`,
      'text',
    ],
    ['in a curl command', `curl -X POST 'http://localhost/' \\\n --data-raw '${one}'`, 'text'],
    ['in an email', `Hello,\nwe got this: "\n\n${pretty}\n\nWhat's up? :-}`, 'text'],
    ['in the bytes of Python', `INFO b'${one}'`, 'text'],
    ['in an HTTP request', `POST / HTTP/1.1\r\nHost: x\r\n\r\n${pretty}`, 'text'],
    ['in a list', `[${one}]`, 'text'],
    [
      'in the data of an object',
      `{"level":"info","depositId":"x","status":1,"body":${one}}`,
      'text',
    ],
    ['after a brace that is not closed', `{ "a": [ {{ ${one}`, 'text'],
    ['after a string that is not closed', `{"depositId":"0b0f1f… ${one}`, 'text'],
    ['after a body that was cut off', `${two.slice(0, 300)}\n${one}`, 'text'],
    ['in braces', `{{${one}}}`, 'text'],
    ['escaped in a log of JSON', `{"level":30,"body":"${escaped(one)}","ms":3}`, 'escaped'],
    ['escaped next to other text', `{"message":"got ${escaped(pretty)} from x"}`, 'escaped'],
    [
      'escaped twice',
      `{"log":"${escaped(`{"body":"${escaped(two)}"}`)}\\n","stream":"stdout"}`,
      'escaped',
    ],
    ['escaped, without the rest of its line', `"body":"${escaped(one)}`, 'escaped'],
    ['escaped, encoded twice', JSON.stringify(one), 'escaped'],
    ['escaped in a log of nginx', `"POST / HTTP/1.1" 200 "${nginx(pretty)}" "-"`, 'escaped'],
    ['escaped in CSV', `7,"${csv(one)}",200\n`, 'escaped'],
    ['escaped in CSV, in several lines', `7,"${csv(pretty)}",200\n`, 'escaped'],
    ['escaped in CSV, without the quotation marks around it', csv(one), 'escaped'],
    ['in quoted mail', `Hi,\n${quoted(pretty)}\n> --\n> Ann`, 'text'],
    ['in mail that was quoted twice', quoted(quoted(pretty)), 'text'],
    ['alone in quoted mail', quoted(pretty), 'text'],
    [
      'with no-break spaces',
      pretty.replaceAll('\n  ', '\n\u00a0 ').replaceAll(': ', ':\u00a0'),
      'spaces',
    ],
    ['escaped three times', JSON.stringify(JSON.stringify(JSON.stringify(two))), 'escaped'],
  ])('%s', (_, text, from) => {
    const [found, ...others] = findBodies(text);
    expect(others).toStrictEqual([]);
    expect(found?.from).toBe(from);
    const bodies = from === 'whole' ? [text] : [one, two, pretty];
    // No-break spaces become spaces, which mean nothing there.
    if (from === 'spaces') expect(JSON.parse(`${found?.body}`)).toStrictEqual(JSON.parse(pretty));
    else expect(bodies).toContain(found?.body);
  });
});

test('a no-break space in a string stays, and so does what looks like a mark of quoted mail', () => {
  const body = deposit({ clientPaymentId: '"a\u00a0b > c"', network: '"\\n> \\"\u00a0"' });
  expect(findBodies(body)).toStrictEqual([{ body, from: 'whole', line: 1, lastLine: 1 }]);
  expect(findBodies(`\u00a0> ${body.replace(':', '\u00a0:')}`)).toStrictEqual([
    { body: body.replace(':', ' :'), from: 'spaces', line: 1, lastLine: 1 },
  ]);
});

test('text stays after a line separator, which a string of JSON may contain', () => {
  const body = deposit({ clientPaymentId: '"a\u2028> 5\u2029> 6"' });
  expect(findBodies(`> ${body}\n> `).map((found) => found.body)).toStrictEqual([body]);
});

test('a body and an older one in quoted mail are two', () => {
  const found = findBodies(`${JSON.stringify(JSON.parse(one), null, 1)}\n\n${quoted(pretty)}\n`);
  expect(found.map(({ body }) => JSON.parse(body))).toStrictEqual([
    JSON.parse(one),
    JSON.parse(pretty),
  ]);
});

describe('several bodies', () => {
  test('of JSON Lines are found in order, with their lines', () => {
    const text = `${one}\n\n${two}\r\nnothing\n{"body":"${escaped(one)}"}\n${one}\n`;
    expect(findBodies(text)).toStrictEqual([
      { body: one, from: 'text', line: 1, lastLine: 1 },
      { body: two, from: 'text', line: 3, lastLine: 3 },
      { body: one, from: 'escaped', line: 5, lastLine: 5 },
      { body: one, from: 'text', line: 6, lastLine: 6 },
    ]);
  });

  const lines = pretty.split('\n').length;
  const row = (cell: string) => `7,"${csv(cell)}",200\n`;
  test.each<[string, string, [line: number, lastLine: number][]]>([
    [
      'of several lines of CSV',
      `id,body,status\n${row(pretty)}${row(pretty)}`,
      [
        [2, lines + 1],
        [lines + 2, 2 * lines + 1],
      ],
    ],
    ['of one line of CSV each', row(one) + row(two), [1, 2].map((line) => [line, line])],
    [
      'in one cell of CSV, after another object',
      `\n${row(`{"id": 7}\n\n${pretty}\n${pretty}`)}${row(one)}`,
      [
        [4, lines + 3],
        [lines + 4, 2 * lines + 3],
        [2 * lines + 4, 2 * lines + 4],
      ],
    ],
    [
      'next to text, of several lines',
      `x\n{"a": 1}\n${pretty}\nx\n${one}`,
      [
        [3, lines + 2],
        [lines + 4, lines + 4],
      ],
    ],
    [
      'with escaped line breaks',
      `{\n"a": 1\n}\n${JSON.stringify(`\n${row(pretty)}\n${pretty}`)}\n${nginx(`{}\n${pretty}`)}`,
      [4, 4, 5].map((line) => [line, line]),
    ],
  ])('%s have their lines', (_, text, expected) => {
    expect(findBodies(text).map(({ line, lastLine }) => [line, lastLine])).toStrictEqual(expected);
  });

  test.each<[string, string]>([
    ['printed one after another', `${pretty}${one}`],
    ['of a list', JSON.stringify([JSON.parse(pretty), JSON.parse(one)], null, 1)],
    ['in one string', JSON.stringify({ log: `${pretty}\n${one}` })],
    ['in strings of one object', JSON.stringify({ first: pretty, second: { third: [one] } })],
    ['in fields of one object', `{"first":${pretty},"second":{"third":[${one}]}}`],
    ['of which one is escaped', `{"first":${pretty},"second":${JSON.stringify(one)}}`],
  ])('%s are found', (_, text) => {
    const found = findBodies(text).map(({ body }) => JSON.parse(body));
    expect(found).toStrictEqual([JSON.parse(pretty), JSON.parse(one)]);
  });
});

describe('exactly one reading', () => {
  test.each<[string, string]>([
    ['an object', deposit({ extra: one })],
    ['an object in a list', deposit({ extra: `{"a":[${one}]}` })],
    ['escaped text', deposit({ extra: JSON.stringify(one) })],
  ])('is that of the outer body: %s in a field of it is another value', (_, body) => {
    const lines = { line: 1, lastLine: 1 };
    expect(findBodies(body)).toStrictEqual([{ body, from: 'whole', ...lines }]);
    expect(findBodies(`x ${body}`)).toStrictEqual([{ body, from: 'text', ...lines }]);
  });

  test('is none if the outer body is no JSON', () => {
    expect(findBodies(deposit({ extra: one }).replace(/}$/, ',}'))).toStrictEqual([]);
    expect(findBodies(deposit({ extra: one, network: '"\\x"' }))).toStrictEqual([]);
  });

  test.each<[string, string]>([
    ['nothing', ''],
    ['white space', ' \n'],
    ['HTML', '<html><script>const a = {"b": {}}</script></html>'],
    ['an object without names', '{}'],
    [
      'an object with five names',
      '{"depositId":"","paymentId":"","clientPaymentId":"","status":"","transactionId":""}',
    ],
    ['an object with names as its values', JSON.stringify({ ...Object.keys(JSON.parse(one)) })],
    ['a body that is cut off', two.slice(0, -1)],
    ['a body with a number that is no JSON', deposit({ onChainFee: '01' })],
    ['an escaped body that is cut off', `"${escaped(one).slice(0, -1)}`],
    ['an escaped body with an escape that is none', `"${escaped(one)}\\x"`],
    ['a body with typographic quotes', one.replaceAll('"', '“')],
    ['a log of nginx that is cut off', nginx(one).slice(0, -1)],
    ['a log of nginx with bytes that are not UTF-8', nginx(one).replace('BTC', '\\xFF')],
    ['CSV that is cut off', `"${csv(one).slice(0, -1)}"`],
    ['a body that is escaped four times', [1, 2, 3, 4].reduce((text) => JSON.stringify(text), one)],
    ['an object that was printed', "{ depositId: 'x', depositCurrency: 'BTC' }"],
  ])('is none in %s', (_, text) => {
    expect(findBodies(text)).toStrictEqual([]);
  });
});

test('a body is found in any text, exactly as it was', () => {
  const junk = fc
    .array(
      fc.constantFrom(
        ...'{}[],:"\\ \n\tab0-'.split(''),
        ...['{"a":', '["', '{\\"', '":', 'null', '{{', '"}', '\\\\', '1e5', '{"status":'],
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(junk, fc.constantFrom(one, two, pretty), junk, (before, body, after) => {
      const [found, ...others] = findBodies(`${before}${body}${after}`);
      expect(others).toStrictEqual([]);
      expect(found?.body.trim()).toBe(body);
    }),
    { numRuns: runs(2000) },
  );
});

describe('a broken body', () => {
  const broken = deposit({ actualDepositAmount: '0,02' });
  const cut = withdrawal().slice(0, 300);
  const lines = JSON.stringify(JSON.parse(one), null, 2).replace('0.123', '0,123');
  const last = lines.split('\n').length;
  const wrapped = one.replace(/.{80}/g, '$&\n');

  test.each<[string, string, [body: string, from: string, line: number, lastLine: number][]]>([
    ['in a line of a log', `ERROR 400 ${broken} in 3 ms`, [[broken, 'text', 1, 1]]],
    [
      'between bodies',
      `A ${one}\nB ${broken}\nC ${two}`,
      [
        [one, 'text', 1, 1],
        [broken, 'text', 2, 2],
        [two, 'text', 3, 3],
      ],
    ],
    ['of several lines', `Hi,\n${lines}\nBye`, [[lines, 'text', 2, last + 1]]],
    [
      'with line breaks in its texts',
      `Hi,\n${wrapped}\nBye`,
      [[wrapped, 'text', 2, wrapped.split('\n').length + 1]],
    ],
    [
      'that is cut off, before another one',
      `A ${cut}\nB ${one}`,
      [
        [cut, 'text', 1, 1],
        [one, 'text', 2, 2],
      ],
    ],
    [
      'of several lines that is cut off, before a blank line',
      `Hi,\n{\n "depositId": "0b\n\nBye`,
      [['{\n "depositId": "0b', 'text', 2, 3]],
    ],
    [
      'with a control character',
      `A ${deposit({ network: '"\t"' })}`,
      [[deposit({ network: '"\t"' }), 'text', 1, 1]],
    ],
    ['that is escaped', JSON.stringify({ body: broken }), [[broken, 'escaped', 1, 1]]],
    ['in CSV', `7,"${csv(broken)}",400`, [[broken, 'escaped', 1, 1]]],
    [
      'of which a line has two',
      `[${broken},${broken}]`,
      [
        [broken, 'text', 1, 1],
        [broken, 'text', 1, 1],
      ],
    ],
    [
      'with a broken one in a string of it',
      `x ${JSON.stringify({ depositId: 1, body: broken })},}`.replace('1,', '01,'),
      [
        [
          JSON.stringify({ depositId: 1, body: broken }).replace('1,', '01,'),
          'text',
          ...([1, 1] as const),
        ],
      ],
    ],
    ['alone', `\n ${broken}\n`, [[`\n ${broken}\n`, 'whole', 1, 3]]],
    ['alone, and cut off in its second line', `${cut}\n"x`, [[`${cut}\n"x`, 'whole', 1, 2]]],
  ])('%s is found', (_, text, expected) => {
    const found = findBodiesAndBroken(text);
    expect(found.map(({ body, from, line, lastLine }) => [body, from, line, lastLine])).toEqual(
      expected,
    );
  });

  test.each<[string, string]>([
    ['JSON with a name of a body', 'INFO {"depositId":"0b0f","ms":3}'],
    ['broken JSON without a name of a body', 'INFO {"status":"CONFIRMED","network":01}'],
    ['an object that was printed', 'INFO { depositId: \'x\', "depositId": 01 }'],
    ['a name after the object', 'INFO {"status":01} of "depositId"'],
    ['nothing', ''],
  ])('is not found in %s', (_, text) => {
    expect(findBodiesAndBroken(text)).toStrictEqual([]);
  });

  test('is not found around a body, or in a line with one', () => {
    const rows = [
      `x {\n"depositId": "x",\n"body": ${one}\n} y`,
      `{"depositId":"0b0f\u2026 ${one}`,
      `x {"depositId":01,"body":${JSON.stringify(one)}}`,
    ];
    for (const row of rows) {
      expect(findBodiesAndBroken(row).map(({ body }) => body)).toStrictEqual([one]);
    }
  });

  test.each<[string, number]>([
    ['{"depositId"\n', 20_000],
    ['{"depositId":', 1],
    ['{\n"depositId"\n', 1],
    ['}\n{"depositId"', 20_000],
    ['{"a":{"depositId"}', 1],
    ['{"status"\n', 0],
  ])('is read in linear time in text that repeats %j', (piece, count) => {
    expect(findBodiesAndBroken(piece.repeat(20_000))).toHaveLength(count);
  });
});

const MANY = 100_000;
test.each([
  '{',
  '[',
  '{"',
  '{"a":',
  '{"a":[',
  '{"status":',
  '{"status":{},',
  '{\\"',
  '{\\',
  '{\\\\"',
  '{"\\"',
  '{ ',
  '{"a" ',
  '{"a":1,"',
  '{}',
  '"',
  '\\"',
  '\\',
  '{"a":"{\\"',
  '{"a":"{',
  '{\\x22',
  '{\\x0A',
  '{\\x22\\x22"',
  '{""a',
  '{""a"',
  '{\u00a0',
  '{"a"\u00a0',
  '>',
  '\n> {',
  '>\n{""a""',
])(`text that repeats %j ${MANY} times is read in linear time`, (piece) => {
  expect(findBodies(piece.repeat(MANY))).toStrictEqual([]);
});

test('bodies in bodies are read in linear time', () => {
  const names = '"status":1,"depositId":1,"paymentId":1,"network":1,"rateType":1,"onChainFee":1';
  const text = `{${names},"a":`.repeat(20_000);
  expect(findBodies(text)).toStrictEqual([]);
  expect(findBodies(`${text}1${'}'.repeat(20_000)}`)).toHaveLength(1);
});
