import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBodies, findBodiesWithin } from '../../src/inspect/find-bodies.js';
import { runs } from '../fuzz/runs.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const one = deposit({ actualDepositAmount: '0.123456789012345678' });
const two = withdrawal({ txAddressOwner: '{"name":"A \\"{b}\\" \\\\ c","category":"é🧾"}' });
const pretty = JSON.stringify(JSON.parse(two), null, 2);
/** As it is written into a JSON string. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
const bodiesIn = (text: string) => findBodiesWithin(text).map(({ body }) => body);

test.each<[where: string, text: string, bodies: string[]]>([
  ['alone', one, [one]],
  ['in a line of a log', `2026-11-23 INFO [7] callback {id=7} body=${one} in 3ms`, [one]],
  ['in a curl command', `curl -X POST 'http://localhost/' \\\n --data-raw '${one}'`, [one]],
  ['in an email', `Hello,\nwe got this: "\n\n${pretty}\n\nWhat's up? :-}`, [pretty]],
  ['in an HTTP request', `POST / HTTP/1.1\r\nHost: x\r\n\r\n${pretty}`, [pretty]],
  ['in a list', `[${one},\n${pretty}]`, [one, pretty]],
  ['in an object', `{"level":"info","depositId":"x","status":1,"body":${one}}`, [one]],
  ['after a brace that is not closed', `{ "a": [ {{ ${one}`, [one]],
  ['after a string that is not closed', `{"depositId":"0b0f1f… ${one}`, [one]],
  ['after a body that was cut off', `${two.slice(0, 300)}\n${one}`, [one]],
  ['after one cut off behind a value', `${one.slice(0, one.indexOf(',"st'))}\n${two}\nend`, [two]],
  ['in braces', `{{${one}}}`, [one]],
  ['one after another', `${pretty}${one}`, [pretty, one]],
  ['escaped in a log of JSON', `{"level":30,"body":"${escaped(one)}","ms":3}`, [one]],
  ['escaped next to other text', `{"message":"got ${escaped(pretty)} from x"}`, [pretty]],
  ['escaped twice', `{"log":"${escaped(`{"body":"${escaped(two)}"}`)}\\n"}`, [two]],
  ['escaped, without the rest of its line', `"body":"${escaped(one)}`, [one]],
  ['escaped three times', `got ${JSON.stringify(JSON.stringify(JSON.stringify(two)))}`, [two]],
  ['several in one string', JSON.stringify({ log: `${pretty}\n${one}` }), [pretty, one]],
  ['plain, then escaped', `{"a":${pretty},"b":${JSON.stringify(one)}}`, [pretty, one]],
])('a body is found %s', (_, text, bodies) => {
  expect(bodiesIn(text)).toStrictEqual(bodies);
});

test.each<[what: string, text: string]>([
  ['a body, with the white space around it', `\uFEFF\n ${pretty}\n\n`],
  ['an object of few names, all ours', '{"depositId":1}'],
  ['a list around a body', `[${one}]`],
  ['an object around a body', `{"data":[1,${one}]}`],
  ['a JSON string', JSON.stringify(one)],
])('a text that is %s is one as a whole', (_, text) => {
  expect(findBodies(text)).toStrictEqual([{ body: text, line: 1, start: 0, end: text.length }]);
});

test.each<[what: string, text: string, bodies: string[]]>([
  ['a list of two', `[${one},\n${pretty}]`, [one, pretty]],
  ['an object around two', `{"a":${pretty},"b":${one}}`, [pretty, one]],
  ['JSON of a log', `{"level":30,"body":"${escaped(one)}"}`, [one]],
  ['an object without a body', '{"level":30,"depositId":1}', []],
  ['a list without one', '[1]', []],
])('a text that is %s has the bodies in it', (_, text, bodies) => {
  expect(findBodies(text).map(({ body }) => body)).toStrictEqual(bodies);
});

test('a body has its place, and the line where it starts', () => {
  const text = `\n${pretty}\nx\r\n"${escaped(one)}" ${one}`;
  const found = findBodies(text).map(({ line, start, end }) => [line, text.slice(start, end)]);
  const last = pretty.split('\n').length + 3;
  expect(found).toStrictEqual([
    [2, pretty],
    [last, escaped(one)],
    [last, one],
  ]);
});

test.each<[string, string]>([
  ['nothing', ''],
  ['HTML', '<html><script>const a = {"b": {}}</script></html>'],
  [
    'an object with five names',
    '{"depositId":1,"paymentId":1,"status":1,"network":1,"rateType":1}',
  ],
  ['an object with names as its values', JSON.stringify({ ...Object.keys(JSON.parse(one)) })],
  ['a body that is cut off', two.slice(0, -1)],
  ['a body with a number that is no JSON', deposit({ onChainFee: '01' })],
  ['a body with an escape that is none', deposit({ extra: one, network: '"\\x"' })],
  ['an escaped body that is cut off', `"${escaped(one).slice(0, -1)}`],
  ['an escaped body with an escape that is none', `"${escaped(one)}\\x"`],
  ['a body with typographic quotes', one.replaceAll('"', '“')],
  ['a body that is escaped four times', [1, 2, 3, 4].reduce((text) => JSON.stringify(text), one)],
  ['a body inside a broken one', deposit({ extra: one }).replace(/}$/, ',}')],
])('none is found in %s', (_, text) => {
  expect(bodiesIn(text)).toStrictEqual([]);
});

test.each([one, `{"a":[${one}]}`, JSON.stringify(one)])(
  'a body in a field of a body is none',
  (extra) => {
    const body = deposit({ extra });
    expect(bodiesIn(`x ${body}`)).toStrictEqual([body]);
  },
);

test('a body is found in any text, exactly as it was', () => {
  const pieces = [
    ...'{}[],:"\\ \n\tab0-'.split(''),
    '{"a":',
    '["',
    '{\\"',
    '":',
    'null',
    '{{',
    '"}',
  ];
  const junk = fc.array(fc.constantFrom(...pieces, '\\\\', '1e5', '{"status":'), { maxLength: 12 });
  fc.assert(
    fc.property(junk, fc.constantFrom(one, two, pretty), junk, (before, body, after) => {
      expect(bodiesIn(`${before.join('')}${body}${after.join('')}`)).toStrictEqual([body]);
    }),
    { numRuns: runs(2000) },
  );
});

describe('text is read in linear time', () => {
  test.each([
    ...['{', '[', '{"', '{"a":', '{"a":[', '{"status":', '{"status":{},', '{\\"', '{\\', '{\\\\"'],
    ...['{"\\"', '{ ', '{"a" ', '{"a":1,"', '{}', '"', '\\"', '\\', '{"a":"{\\"', '{"a":"{'],
    ...['{\\n', '{ \\n\\"', '{\\\\n\\\\"', '{\n', '{:{""', '{"":', '[{', '"{'],
  ])('that repeats %j', (piece) => {
    expect(findBodies(piece.repeat(100_000))).toStrictEqual([]);
  });

  test('that is bodies in bodies', () => {
    const names = '"status":1,"depositId":1,"paymentId":1,"network":1,"rateType":1,"onChainFee":1';
    const text = `{${names},"a":`.repeat(20_000);
    expect(bodiesIn(text)).toStrictEqual([]);
    expect(bodiesIn(`${text}1${'}'.repeat(20_000)}`)).toHaveLength(1);
  });
});
