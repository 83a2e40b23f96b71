// Bodies made to cost as much as they can. Each must be answered within 20 × the time that JSON.parse
// takes for the same text, or within 5 ms, whichever is more; those over the limit without being read.
import { cpus } from 'node:os';
import { safeParseDepositReceived } from '../dist/index.js';

const LIMIT = 64 * 1024;
const MAX_RATIO = 20;
const MAX_MILLISECONDS = 5;
const ROUNDS = 15;

/** @param {string} part @param {number} size */
const fill = (part, size = LIMIT - 200) => part.repeat(Math.floor(size / part.length));
/** @param {string} part @param {number} size */
const fields = (part, size = LIMIT - 200) => {
  const names = [];
  for (let length = 0, index = 0; length < size; index += 1) {
    const field = `"f${index}":${part}`;
    names.push(field);
    length += field.length + 1;
  }
  return `{${names.join(',')}}`;
};
const nested = (/** @type {number} */ depth) => '['.repeat(depth) + ']'.repeat(depth);
const LONG = '0.1234567890123456789';

/** @type {Record<string, string | Buffer>} */
const BODIES = {
  'one number': fill('1'),
  'one field of one number': `{"actualDepositAmount":${fill('9')}}`,
  'one amount of digits in a string': `{"actualDepositAmount":"${fill('9')}"}`,
  'an amount of 128 digits': `{"actualDepositAmount":${fill('7', 128)}}`,
  'an amount with a huge exponent': '{"actualDepositAmount":1e999999999999}',
  'an amount with a huge negative exponent': '{"actualDepositAmount":"1e-999999999999"}',
  'an exponent of many digits': `{"actualDepositAmount":1e${fill('9')}}`,
  'a timestamp of many digits': `{"expirationTime":"${fill('9')}"}`,
  'nested arrays': `{"x":${nested(LIMIT / 2 - 200)}}`,
  'nested arrays beside a long number': `{"n":${LONG},"x":${nested(LIMIT / 2 - 200)}}`,
  'nested objects': `{"x":${fill('{"a":', LIMIT - 12_000)}1${'}'.repeat(Math.floor((LIMIT - 12_000) / 5))}}`,
  'one key repeated': `{${fill('"status":1,')}"status":1}`,
  'one key repeated with a long number': `{${fill(`"status":${LONG},`)}"status":1}`,
  'one key repeated with arrays of long numbers': `{${fill(`"x":[${fill(`${LONG},`, 2000)}1],`)}"x":1}`,
  'unknown fields': fields('1'),
  'unknown fields of long numbers': fields(LONG),
  escapes: `{"status":"${fill('\\u202e')}"}`,
  'control characters by escape': `{"clientPaymentId":"${fill('\\n')}","status":"${fill('\\n', 1000)}"}`,
  'colons in a string': `{"x":"${fill(':')}"}`,
  'colons and white space in a string': `{"x":"${fill(':      ')}"}`,
  'white space behind a colon': `{"x":${fill(' ')}1}`,
  'white space': `{${fill('\n')}}`,
  'exponents in a string': `{"x":"${fill(':1e5')}"}`,
  'a form': fill('a'),
  base64: `eyJ${fill('A')}`,
  'a UUID that goes on': `{"depositId":"${fill('0')}"}`,
  'an address of marks': `{"toTxAddress":"${fill('?dt=')}"}`,
  'no JSON': fill('\ud83e\uddfe'),
  '10 MiB as text': fill('1', 10 * 2 ** 20),
  '10 MiB as bytes': Buffer.alloc(10 * 2 ** 20, '1'),
  '100 MiB as text': fill('1', 100 * 2 ** 20),
  '100 MiB as bytes': Buffer.alloc(100 * 2 ** 20, '1'),
};

/** The fastest of some runs, in milliseconds: what the work itself costs. @param {() => void} run */
function time(run) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

/** @param {string} text */
function parseNatively(text) {
  try {
    JSON.parse(text);
  } catch {
    // Refusing takes its time, too.
  }
}

let failed = 0;
console.log(`${cpus()[0]?.model}, Node ${process.version}; fastest of ${ROUNDS} runs, in ms\n`);
console.log(
  `${'body'.padEnd(46)}${'JSON.parse'.padStart(12)}${'ours'.padStart(10)}${'ratio'.padStart(8)}  outcome`,
);
for (const [name, body] of Object.entries(BODIES)) {
  const isOver = body.length > LIMIT;
  const native = isOver ? 0 : time(() => parseNatively(String(body)));
  const ours = time(() => safeParseDepositReceived(body));
  const result = safeParseDepositReceived(body);
  const isWithin = ours <= Math.max(native * MAX_RATIO, MAX_MILLISECONDS);
  if (!isWithin) failed += 1;
  const cells = [
    name.padEnd(46),
    (isOver ? 'not run' : native.toFixed(3)).padStart(12),
    ours.toFixed(3).padStart(10),
    (isOver ? '' : (ours / native).toFixed(1)).padStart(8),
    `  ${result.success ? 'read' : result.error.issues[0]?.code}${isWithin ? '' : '  TOO SLOW'}`,
  ];
  console.log(cells.join(''));
}
console.log(`\n${Object.keys(BODIES).length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
