import { expect, test } from 'vitest';
import { damageOf } from '../../src/inspect/damage.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const ENTITIES = 'text with HTML entities. Decode it first';
const PERCENT = 'percent-encoded text. Decode it first';
const MAIL = 'a copy of the source of a mail, with = at the end of lines. Decode it first';
const QUOTES = 'text with the quotes “ ”, as a mail program makes them. Ask for the original';
const PRINTED = 'an object that was printed, and not JSON';
const SHORT = 'a copy that ends early. Ask for the original';
const BROKEN = 'a copy with line breaks inside its texts. Ask for the original';

const quoted = (quote: string) => deposit().replaceAll('"', quote);
const wrapped = (body: string, columns: number, end = '\n') =>
  body.replace(new RegExp(`.{${columns}}`, 'g'), `$&${end}`);
const mail = (end: string) =>
  `Subject: x\n\n${wrapped(withdrawal().replaceAll('=', '=3D'), 75, end)}`;
const start = wrapped(withdrawal().slice(0, 400), 80);

test.each<[what: string, text: string, damage: string | null]>([
  ['HTML entities', quoted('&quot;'), ENTITIES],
  ['HTML entities in other text', `<td>${quoted('&quot;')}</td>`, ENTITIES],
  ['HTML entities, decimal', `<td>{ \n${quoted('&#34;').slice(1)}</td>`, ENTITIES],
  ['HTML entities, hexadecimal', quoted('&#X22;'), ENTITIES],
  ['HTML entities, encoded several times', quoted('&amp;amp;quot;'), ENTITIES],
  ['an HTML entity after a name', '{a&quot;: 1}', null],
  ['an HTML entity in a second object', '{}{&quot;', null],
  ['another HTML entity', '{&lt;', null],
  ['percent-encoding', encodeURIComponent(deposit()), PERCENT],
  ['percent-encoding in lower case, after a line break', '\n%7b%22a', PERCENT],
  ['percent-encoding inside a text', 'x%7B', null],
  ['the source of a mail', mail('=\n'), MAIL],
  ['the source of a mail of Windows', mail('=\r\n'), MAIL],
  ['the source of a mail, indented', '{\n  "a": "b=\nc"}', MAIL],
  ['a header of a mail', 'Subject: =\n{"a": x}', null],
  ['a line of a mail in something else', '{x "a": "b=\nc"}', null],
  ['an = inside a line', '{"a": "b=c\n', null],
  ['the quotes of a mail program', quoted('”'), QUOTES],
  ['opening quotes, in other text', 'Hello {\n “a”: 1}', QUOTES],
  ['German quotes', '{„a“: 1}', QUOTES],
  ['such quotes in a value', '{"a": “b”}', null],
  ['such quotes inside a text', '"{“a”: 1}', null],
  ['printed by Node.js', "{\n  depositId: '3d6c", PRINTED],
  ['printed by Python', "{'depositId' : None}", PRINTED],
  ['a name with a digit', '{ x2 :', PRINTED],
  ['a name of one letter', '{A:', PRINTED],
  ['a quoted name of one letter', "{'a':", PRINTED],
  ['a quoted name that begins with a digit', "{'2':", null],
  ['a name that begins with a digit', '{2x:', null],
  ['a quote that is not closed', "{'a: 1}", null],
  ['a quoted name with a space', "{'a b': 1}", null],
  ['a printed object in other text', 'x {a: 1}', null],
  ['line breaks inside texts', wrapped(deposit(), 80), BROKEN],
  ['line breaks of Windows inside texts', wrapped(deposit(), 76, '\r\n'), BROKEN],
  ['empty lines inside texts', wrapped(deposit(), 80, '\n\n'), BROKEN],
  ['a line break in a text, and another fault', '{"a": "b\nc", }', null],
  ['it ends early, with three points in brackets', `${start}[...]`, SHORT],
  ['it ends early, with an ellipsis in brackets', `${start}[…]`, SHORT],
  ['it ends early, with three points', `${start}...`, SHORT],
  ['it ends early, with an ellipsis', `${start}…`, SHORT],
  ['it ends early, with a space', `${start} …\n`, SHORT],
  ['an ellipsis after a body', `${deposit()}…`, null],
  ['an ellipsis in a body', '{"a": …}', null],
  [
    'an ellipsis after another fault',
    `${wrapped(deposit({ actualDepositAmount: '0,02' }), 80)}…`,
    null,
  ],
  ['an end without an ellipsis', start.trim(), null],
  ['three points in a text, and an end without them', '{"a": "x...", "b":', null],
  ['a list that ends early', '[1, 2…', null],
  ['a second byte-order mark, which the parser names', '\uFEFF{a: 1}', null],
])('%s', (_, text, damage) => {
  expect(damageOf(text)).toBe(damage);
});
