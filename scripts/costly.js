// Bodies made to cost as much as they can. Each must be answered within 10 × the time that
// JSON.parse takes for the same text, or within 10 ms, whichever is more; those over the limit
// without being read.
import process from 'node:process';

// By a name that only the build gives, so that the compiler needs no build.
const { safeParseDepositReceived } = await import(
  new URL('../dist/index.js', import.meta.url).href
);

const LIMIT = 64 * 1024;
const MAX_RATIO = 10;
const MAX_MILLISECONDS = 10;
const ROUNDS = 15;

const fill = (/** @type {string} */ part, size = LIMIT - 200) =>
  part.repeat(Math.floor(size / part.length));
const nested = (/** @type {number} */ depth) => '['.repeat(depth) + ']'.repeat(depth);
const unknownFields = (/** @type {string} */ value) =>
  JSON.stringify(
    Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`field${at}`, 0])),
  ).replaceAll(':0', `:${value}`);
const LONG = '0.1234567890123456789';

/** @type {Record<string, string | Buffer>} */
const BODIES = {
  'one number': fill('1'),
  'one field of one number': `{"actualDepositAmount":${fill('9')}}`,
  'one amount of digits in a string': `{"actualDepositAmount":"${fill('9')}"}`,
  'an exponent of many digits': `{"actualDepositAmount":1e${fill('9')}}`,
  'a timestamp of many digits': `{"expirationTime":"${fill('9')}"}`,
  'nested arrays beside a long number': `{"n":${LONG},"x":${nested(LIMIT / 2 - 200)}}`,
  'nested objects': `{"x":${fill('{"a":', 50_000)}1${'}'.repeat(10_000)}}`,
  'one key repeated with a long number': `{${fill(`"status":${LONG},`)}"status":1}`,
  'one key repeated with arrays of long numbers': `{${fill(`"x":[${fill(`${LONG},`, 2000)}1],`)}"x":1}`,
  'unknown fields': unknownFields('1'),
  'unknown fields of long numbers': unknownFields(LONG),
  'a list of long numbers': `{"x":[${fill(`${LONG},`)}1]}`,
  'a list of short numbers': `{"x":[${fill('1,')}1]}`,
  'a list of exponents': `{"x":[${fill('1e5,')}1]}`,
  'a list of strings beside a long number': `{"x":[${fill('"",')}${LONG}]}`,
  'escapes beside a long number': `{"x":"${fill('\\n')}","y":${LONG}}`,
  escapes: `{"status":"${fill('\\u202e')}"}`,
  'control characters by escape': `{"clientPaymentId":"${fill('\\n', 60_000)}","status":"${fill('\\n', 1000)}"}`,
  'colons and long numbers in a string': `{"onChainFee":1,"x":"${fill(':0.12345678901234567')}"}`,
  'white space behind a colon': `{"x":${fill(' ')}1}`,
  'white space': `{${fill('\n')}}`,
  'a form': fill('a'),
  base64: `eyJ${fill('A')}`,
  'a UUID that goes on': `{"depositId":"${fill('0')}"}`,
  'an address of marks': `{"toTxAddress":"${fill('?dt=')}"}`,
  'no JSON': fill('\ud83e\uddfe'),
  'arrays that never end': fill('['),
  'objects that never end': fill('{"a":'),
  'a list that never ends': `[${fill('1,')}`,
  'a string of escapes that never ends': `{"a":"${fill('\\"')}`,
  '100 MiB as text': fill('1', 100 * 2 ** 20),
  '100 MiB as bytes': Buffer.alloc(100 * 2 ** 20, '1'),
};

for (const [name, body] of Object.entries(BODIES)) {
  const isOver = body.length > LIMIT;
  const native = isOver ? 0 : time(() => JSON.parse(String(body)));
  const ours = time(() => safeParseDepositReceived(body));
  const isWithin = ours <= Math.max(native * MAX_RATIO, MAX_MILLISECONDS);
  if (!isWithin) process.exitCode = 1;
  const times = `${ours.toFixed(3)} ms, JSON.parse ${isOver ? 'not run' : `${native.toFixed(3)} ms`}`;
  console.log(`${name.padEnd(46)}${times}${isWithin ? '' : ': TOO SLOW'}`);
}

/**
 * The fastest of some runs, in milliseconds: what the work itself costs.
 *
 * @param {() => unknown} run
 */
function time(run) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    try {
      run();
    } catch {
      // Refusing takes time as well.
    }
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}
