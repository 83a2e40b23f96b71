// The terminal session in docs/command.md: run for real, against a merchant's endpoint on loopback. Run as a
// program, it writes the session into that page; command.test.ts checks it.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNotificationError, parseNotification } from 'payment-notifications';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';
import { run } from './command.js';

const PAGE = new URL('../../docs/command.md', import.meta.url);
const BLOCK = /(?<=^```console\n)(.*?)(?=^```$)/ms;

const { properties, required } = JSON.parse(
  readFileSync(new URL('../../schemas/deposit-received.schema.json', import.meta.url), 'utf8'),
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
  'refused.json': depositReceivedBody({ depositId: 'x', settlementAmount: undefined }),
  'broken.json':
    '{\n  "depositId": "0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11",\n  "actualDepositAmount": 0,5\n}\n',
  'archive.ndjson': [
    depositReceivedBody(),
    depositReceivedBody({ settlementAmount: undefined }, { seed: 2 }),
    withdrawalBroadcastBody({ txAddressOwner: { name: 'Example Exchange', category: null } }),
    depositReceivedBody(),
    depositReceivedBody({ settlementAmount: '950.26' }),
  ].join('\n'),
};

const SESSION = [
  'inspect callback.json',
  'inspect refused.json',
  'inspect broken.json',
  'check archive.ndjson',
  'send withdrawal --to http://127.0.0.1:3000/callbacks --status FAILED',
  'send deposit --to http://127.0.0.1:3000/callbacks --retry --every 1s',
  'send callback.json refused.json --to http://127.0.0.1:3000/callbacks',
  'send deposit --to http://127.0.0.1:3000/callbacks --faulty',
];

/** A merchant whose database is down for the first two deposits. */
function createMerchant() {
  let failures = 2;
  return createServer(async (request, response) => {
    try {
      const { type } = parseNotification(Buffer.concat(await request.toArray()));
      if (type === 'deposit.received' && failures > 0) {
        failures -= 1;
        response.writeHead(500).end('database is down');
        return;
      }
      response.end('settled');
    } catch (error) {
      response.writeHead(isNotificationError(error) ? 400 : 500).end();
    }
  });
}

/** Runs the session. */
export async function runSession() {
  const folder = mkdtempSync(join(tmpdir(), 'payment-notifications-'));
  const merchant = createMerchant();
  merchant.listen(0, '127.0.0.1');
  await once(merchant, 'listening');
  const address = merchant.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const [shown, real] = ['127.0.0.1:3000', `127.0.0.1:${address.port}`];
  try {
    for (const [name, body] of Object.entries(BODIES)) writeFileSync(join(folder, name), body);
    let session = '';
    for (const line of SESSION) {
      const args = line.replace(shown, real).split(' ');
      const { out, err } = await run(args, { cwd: folder, env: { COLUMNS: '84' } });
      session += `$ payment-notifications ${line}\n${(out + err).replaceAll(real, shown).trim()}\n\n`;
    }
    return `${session.trim()}\n`;
  } finally {
    merchant.close();
    rmSync(folder, { recursive: true });
  }
}

/** The session that the page shows. */
export function readSession() {
  const [session] = BLOCK.exec(readFileSync(PAGE, 'utf8')) ?? [];
  return session;
}

if (process.argv[1] === import.meta.filename) {
  const session = await runSession();
  writeFileSync(
    PAGE,
    readFileSync(PAGE, 'utf8').replace(BLOCK, () => session),
  );
  console.log(session);
}
