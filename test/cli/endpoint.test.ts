import { describe, expect, test } from 'vitest';
import { fetchStart } from '../../src/cli/endpoint.js';
import { against, answers, type Behaviour, endpoint } from '../endpoint.js';
import { command, linesOf } from './terminal.js';

const POST = { method: 'POST', headers: {}, body: '{}', redirect: 'manual' } as never;

test('of an answer without an end, the first 64 KiB are read', async () => {
  let written = 0;
  const endless: Behaviour = (response) => {
    const more = () => {
      do written += 65_000;
      while (response.write('x'.repeat(65_000)));
    };
    response.on('drain', more);
    more();
  };
  const read = (behaviour: Behaviour) =>
    against(behaviour, async (url) => ({ text: await (await fetchStart(url, POST)).text() }));
  expect((await read(endless)).text).toMatch(/^x{65536}…$/);
  // What the system holds between the two is more than 64 KiB.
  expect(written).toBeLessThan(50_000_000);
  const whole = 'x'.repeat(65_536);
  expect((await read(answers(200, whole))).text).toBe(whole);
});

describe('the path of the URL, which ends with a secret,', () => {
  const SECRET = 's3cret-s3cret-s3cret';
  /** Like Express, and as a log of queries would. */
  const repeats: Behaviour = (response, { url }) => {
    const query = url?.split('?')[1] ?? '';
    response.writeHead(404).end(`Cannot POST ${url} (${url?.split('?')[0]}, ${SECRET}, ?${query})`);
  };
  const sendThere = async (path: string) => {
    await using merchant = await endpoint(repeats);
    const { origin } = new URL(merchant.url);
    const { out } = await command(['send', 'deposit', '--to', origin + path]);
    return { received: merchant.received[0]?.url, told: linesOf(out.replaceAll(origin, 'URL')) };
  };

  test.each([
    [`/callbacks/${SECRET}`, '/callbacks/s3cr…'],
    [`/callbacks/${SECRET}/?token=s3cret`, '/callbacks/s3cr…/'],
    [`/callbacks/${SECRET}/deposit`, '/callbacks/s3cr…/depo…'],
    ['/callbacks', '/call…'],
    ['/', '/'],
  ])('is posted to as %s and shown as %s', async (path, shown) => {
    const { received, told } = await sendThere(path);
    expect(received).toBe(path);
    expect(told[0]).toBe(`POST URL${shown}`);
    const hint = "\\(is the URL's secret right\\?\\)";
    const line = `^  ✗ 404 in \\d+ms ${hint}  Cannot POST ${shown} \\(${shown}, `;
    expect(told[1]).toMatch(new RegExp(line));
    if (path.includes(SECRET)) expect(told.join()).not.toMatch(/s3cret/);
  });
});
