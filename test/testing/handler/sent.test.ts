import { afterEach, expect, test, vi } from 'vitest';
import { patientTests } from '../../../src/testing/handler/tests.js';
import { merchant, NO_WAIT } from './merchant.js';

afterEach(() => void vi.restoreAllMocks());

/** So many requests of a test are redirected, one in each run, and its last one. */
const FIRST = 10;

/** Runs a test, of which one request is redirected. That is always wrong. */
async function failureAt(n: number, name: string) {
  const { fetch, ...others } = merchant();
  let requests = 0;
  const post: typeof fetch = async (...given) => {
    requests += 1;
    if (requests === n) return { status: 302, text: async () => '' };
    return fetch?.(...given) ?? Promise.reject();
  };
  const tests = patientTests({ ...others, fetch: post }, { ...NO_WAIT, rounds: 1 });
  const ran = tests.find((one) => one.name === name)?.run();
  const message = await ran?.then(
    () => '',
    (error) => `${error.message}`,
  );
  return { requests, message };
}

/** What a failure says of the bodies that were sent, with KEY in place of their key. */
function labelIn(message = '') {
  const [, who = '', label] = /^(.*?) \((?:sent: )?(.*?)(?:; )?seed \d+\)/.exec(message) ?? [];
  const keyed = who.replace(/[a-z]+\.[a-z]+:[\w:-]+/, 'KEY');
  return label ? `${keyed}: ${label}`.replace(/^KEY: /, '') : keyed;
}

// After a change, npm run update writes the list.
test('a failure says which body of a test it is', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.7);
  const lines: string[] = [];
  for (const { name } of patientTests(merchant(), NO_WAIT)) {
    const { requests: last } = await failureAt(0, name);
    const labels = new Set<string>();
    for (let n = 1; n <= last; n += 1) {
      // Those between have labels of the same form.
      if (n <= FIRST || n === last) labels.add(labelIn((await failureAt(n, name)).message));
    }
    lines.push(`${name}: ${[...labels].join(' | ')}\n`);
  }
  await expect(lines.join('')).toMatchFileSnapshot('sent.txt');
});
