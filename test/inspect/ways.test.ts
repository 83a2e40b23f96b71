import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { inspectBody } from 'payment-notifications/inspect';
import { faultyBodies } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { fixtures } from '../../fixtures/index.js';
import { next, START } from '../../inspector/state.js';
import { command, linesOf, listening, temporaryFolder } from '../cli/terminal.js';
import { bytesBody } from '../fuzz/bodies.js';
import { runs } from '../fuzz/runs.js';
import { deposit, withdrawal } from '../sample-bodies.js';
import { OUTCOMES } from './outcomes.js';

/** Enough for a change of the code; RUNS=50000 for more. */
const RUNS = runs(300);
const MAX_BYTES = 65_536;

const { folder } = temporaryFolder();

const page = (bytes: Uint8Array) => next(START, { type: 'opened', name: 'a', bytes }).inspection;

const one = deposit();
/** What an endpoint receives from senders and proxies that change a body. */
const CHANGED: readonly (string | Uint8Array)[] = [
  ...[`\uFEFF\uFEFF${one}`, `${one}${one}`, `${one}\0`, one.padEnd(MAX_BYTES), gzipSync(one)],
  ...[Buffer.from(one, 'utf16le'), Buffer.from(deposit({ network: '"\u00ff"' }), 'latin1')],
];

test(
  `listen, inspect, inspectBody and the page judge alike (${RUNS} hostile bodies)`,
  async () => {
    const bodies = [
      ...CHANGED,
      ...[one, withdrawal()].flatMap((body) => faultyBodies(body).map((faulty) => faulty.body)),
      ...OUTCOMES.map(([, body]) => body),
      ...fixtures.map(({ body }) => body),
      ...fc.sample(bytesBody, RUNS),
    ].map((body) => Buffer.from(body));

    const path = join(folder, 'received');
    await listening(`--save ${path}`, async (url) => {
      for (const body of bodies) {
        const { outcome } = inspectBody(body);
        const { status } = await fetch(url, { method: 'POST', body: new Uint8Array(body) });
        const words = [page(body)?.outcome, status < 300];
        const expected = [outcome, outcome !== 'refused'];
        // An assertion for each body would take most of the time.
        if (`${words}` !== `${expected}`) expect({ body: `${body}`, words }).toBe(expected);
      }
    });

    const saved = readdirSync(path).map((name) => join(path, name));
    const sort = (all: readonly Buffer[]) => all.map((body) => body.toString('latin1')).sort();
    const received = bodies.map((body) => body.subarray(0, MAX_BYTES + 1));
    expect(sort(saved.map((file) => readFileSync(file)))).toStrictEqual(sort(received));

    const { out } = await command(['inspect', '--json', path]);
    const lines = linesOf(out).map((line) => JSON.parse(line));
    expect(lines.map(({ place }) => place)).toStrictEqual(saved.sort());
    const differing = lines.filter(({ place, outcome, summary }) => {
      const shown = page(readFileSync(place));
      const isAlike = outcome === shown?.outcome && summary === shown?.summary;
      return !isAlike || /-refused\.json$/.test(place) !== (outcome === 'refused');
    });
    expect(differing).toStrictEqual([]);
  },
  300_000 + RUNS * 60,
);
