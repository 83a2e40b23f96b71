import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/terminal.js';
import { type Behaviour, endpoint } from '../endpoint.js';
import { COMMAND, run, start } from './command.js';

const BLOCKS = /(?<=^```console\n).*?(?=^```$)/gms;

const { properties, required } = JSON.parse(
  readFileSync('schemas/deposit-received.schema.json', 'utf8'),
);
/** Most optional fields, so that the session is short. */
const leftOut = Object.fromEntries(
  Object.keys(properties)
    .filter((name) => ![...required, 'onChainFee', 'paymentReceivedAt'].includes(name))
    .map((name) => [name, undefined]),
);

const BODIES = {
  'callback.json': depositReceivedBody({
    ...leftOut,
    ...{ actualDepositAmount: '0.123456789012345678', depositCurrency: 'ETH' },
    onChainFee: '0.00000001',
  }),
  'archive.ndjson': [
    depositReceivedBody(),
    depositReceivedBody({ settlementAmount: undefined }, { seed: 2 }),
    withdrawalBroadcastBody({ txAddressOwner: { name: 'Example Exchange', category: null } }),
    depositReceivedBody(),
    depositReceivedBody(
      { settlementAmount: '950.26' },
      { additional: { networkFeeAmount: '0.10' } },
    ),
  ].join('\n'),
};

/** What `listen` receives. */
const CALLBACKS = [
  depositReceivedBody(),
  withdrawalBroadcastBody({ txAddressOwner: { name: 'Example Exchange', category: null } }),
  depositReceivedBody({ settlementAmount: undefined }, { seed: 2 }),
];

const ORIGIN = 'http://127.0.0.1:3000';
const PATH = '/callbacks/0123456789abcdef';
const SESSION = [
  'inspect callback.json',
  `send deposit --to ${ORIGIN}${PATH} --retry --every 1s`,
  'listen --save callbacks',
  'check archive.ndjson',
];

/** Durations, times of day and secrets differ from run to run. */
const TIMES =
  /\b\d[\d.]*(?:ms|s|m|h)\b|(?:\d{4}-\d\d-\d\dT)?\d\d[:-]\d\d[:-]\d\d(?:\.\d{3})?Z|\b[0-9a-f]{32}\b/g;

const { folder, write } = temporaryFolder();

const GIVEN = { cwd: folder, env: { COLUMNS: '80' } };

// npm run test:package -- --update writes the session of that run into the page.
test('the session on the page of the command is what happens', async () => {
  // A database is down for the first two deliveries.
  let failures = 2;
  const behave: Behaviour = (response) => {
    if (failures === 0) response.end('settled');
    else {
      failures -= 1;
      response.writeHead(500).end('database is down');
    }
  };
  await using merchant = await endpoint(behave);
  for (const [name, body] of Object.entries(BODIES)) write(name, body);
  const { origin } = new URL(merchant.url);
  const told: string[] = [];
  for (const line of SESSION) {
    const args = line.replace(ORIGIN, origin).split(' ');
    const { out, err } = line.startsWith('listen') ? await listen(args) : await run(args, GIVEN);
    const shown = `$ payment-notifications ${line}\n${(out + err).trim()}\n`;
    told.push(shown.replace(/http:\/\/127\.0\.0\.1:\d+/g, ORIGIN));
  }
  const page = readFileSync('docs/command.md', 'utf8');
  const blocks = [...page.matchAll(BLOCKS)];
  expect(blocks).toHaveLength(SESSION.length);
  // A line keeps the times that it has on the page, even if another number in it has changed.
  const shown = blocks.join('').split('\n');
  const keep = (line: string) => {
    const same = shown.findIndex((old) => withoutNumbers(old) === withoutNumbers(line));
    const times = shown.splice(same, same < 0 ? 0 : 1)[0]?.match(TIMES) ?? [];
    return line.replace(TIMES, (time) => times.shift() ?? time);
  };
  const current = page.replace(BLOCKS, () => `${told.shift()?.split('\n').map(keep).join('\n')}`);
  await expect(current).toMatchFileSnapshot('../../docs/command.md');
});

/** Runs `listen` until it has received the callbacks. */
async function listen(args: string[]) {
  const { child, ended } = start(process.execPath, [COMMAND, ...args, '--port', '0'], GIVEN);
  const [first] = await once(child.stdout, 'data');
  const [url = ''] = /http:\S+/.exec(first) ?? [];
  for (const body of CALLBACKS) await fetch(url, { method: 'POST', body });
  child.kill('SIGINT');
  return ended;
}

function withoutNumbers(text: string): string {
  return text.replace(TIMES, 'TIME').replace(/\d[\d.,]*/g, 'N');
}
