import { afterEach, expect, test, vi } from 'vitest';
import { patientTests } from '../../../src/testing/handler/tests.js';
import { merchant, NO_WAIT } from './merchant.js';

afterEach(() => void vi.restoreAllMocks());

/** So many bodies of a test are listed. What some send after that comes from tables of forms. */
const MOST = 12;

/** How a test fails if its nth request is redirected, which is always wrong; null if it has none. */
async function failureAt(n: number, name: string) {
  const { fetch, ...others } = merchant();
  let requests = 0;
  const post: typeof fetch = async (...given) => {
    requests += 1;
    if (requests === n) return { status: 302, text: async () => '' };
    return fetch?.(...given) ?? Promise.reject();
  };
  const tests = patientTests({ ...others, fetch: post }, { ...NO_WAIT, rounds: 1 });
  const finder = tests.find((one) => one.name === name);
  return finder?.run().then(
    () => null,
    (error) => String(error.message),
  );
}

// After a change, npm run update writes the list.
test('a failure says which body of a test it is', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.7);
  const lines: string[] = [];
  for (const { name } of patientTests(merchant(), NO_WAIT)) {
    const labels = new Set<string>();
    for (let n = 1; n <= MOST; n += 1) {
      const message = await failureAt(n, name);
      if (message == null) break;
      const [, label = message] = /^.*? \((?:sent: )?(.*?)(?:; )?seed \d+\)/.exec(message) ?? [];
      labels.add(label || 'a usual body');
    }
    lines.push(`${name}: ${[...labels].join(' | ')}\n`);
  }
  await expect(lines.join('')).toMatchFileSnapshot('sent.txt');
});
