import { describe, expect, test } from 'vitest';
import { findBodies } from '../../src/inspect/find-bodies.js';
import { deposit, withdrawal } from '../sample-bodies.js';

const one = deposit({ actualDepositAmount: '0.123456789012345678' });
const two = withdrawal({ txAddressOwner: '{"name":"A \\"{b}\\" \\\\ c","category":"é🧾"}' });
const pretty = JSON.stringify(JSON.parse(two), null, 2);
/** As it is written into a JSON string. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

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
    ['escaped three times', JSON.stringify(JSON.stringify(JSON.stringify(two))), 'escaped'],
  ])('%s', (_, text, from) => {
    const [found, ...others] = findBodies(text);
    expect(others).toStrictEqual([]);
    expect(found?.from).toBe(from);
    const bodies = from === 'whole' ? [text] : [one, two, pretty];
    expect(bodies).toContain(found?.body);
  });
});
