import { constants, gunzipSync } from 'node:zlib';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';

const PERIOD = 20;

/** An archive whose lines are in turn of each kind, with LF or CRLF after a byte-order mark. */
export function plantedArchive(count: number): string {
  const lines = Array.from({ length: count }, (_, n) => `${lineOf(n)}${n % 3 === 0 ? '\r' : ''}\n`);
  return `\ufeff${lines.join('')}`;
}

/** The last lines of a period, by their number and that of an event that came a few lines before. */
const PLANTED: ((n: number, before: number) => string)[] = [
  () => '',
  (n) => depositReceivedBody({ rateType: 'CAPPED' as 'FIXED' }, { seed: n }),
  (n) => depositReceivedBody({ settlementAmount: undefined }, { seed: n }),
  (n) => depositReceivedBody({}, { seed: n }).slice(0, -9),
  (_, before) => bodyOf(before).replace(/"(\d+\.\d+)"/g, '$10'),
  (_, before) => bodyOf(before, { actualDisplayAmount: '950.24' }),
  (_, before) => bodyOf(before, { settlementCurrency: 'CHF' }),
  (_, before) => bodyOf(before, { toTxAddress: 'rExampleXrpAddress111111111111111?dt=48292' }),
  (_, before) => bodyOf(before, { clientPaymentId: 'x', settlementCurrency: 'CHF' }),
];

function lineOf(n: number): string {
  const plant = PLANTED[(n % PERIOD) - (PERIOD - PLANTED.length)];
  return plant === undefined ? bodyOf(n) : plant(n, n - PERIOD / 2);
}

/** Deposits are odd, withdrawals even. */
function bodyOf(seed: number, overrides: Record<string, string> = {}): string {
  return seed % 2 === 0
    ? withdrawalBroadcastBody(overrides, { seed })
    : depositReceivedBody(overrides, { seed });
}

/** Counts what is planted, knowing nothing of the package: by JSON.parse and a few fields. */
export function countPlainly(bytes: Buffer) {
  const isGzip = bytes[0] === 0x1f;
  const plain = isGzip ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes;
  const lines = new TextDecoder().decode(plain).split('\n').slice(0, -1);
  const counts = { lines: lines.length, blank: 0, valid: 0, warnings: 0, refused: 0, noBody: 0 };
  const keys = { different: 0, repeated: 0, unremembered: 0, conflicting: 0 };
  const differing = { amount: 0, currency: 0, account: 0 };
  const first = new Map<string, Record<string, unknown>>();
  for (const line of lines) {
    if (line.trim() === '') {
      counts.blank += 1;
      continue;
    }
    const body = parsed(line);
    if (body === null) counts.noBody += 1;
    else if (body.depositId && !body.settlementAmount) counts.refused += 1;
    else {
      counts[body.rateType === 'CAPPED' ? 'warnings' : 'valid'] += 1;
      const key = body.depositId
        ? `deposit.received:${body.depositId}`
        : `withdrawal.broadcast:${body.withdrawalId}:${body.status}`;
      const before = first.get(key);
      if (before === undefined) {
        first.set(key, body);
        keys.different += 1;
        continue;
      }
      keys.repeated += 1;
      const changed = (name: string) => `${body[name]}` !== `${before[name]}`;
      const differs = Object.keys(differing).filter((what) => FIELDS[what]?.some(changed));
      if (differs.length === 0) continue;
      keys.conflicting += 1;
      for (const what of differs) differing[what as 'amount'] += 1;
    }
  }
  return { counts, keys: { ...keys, differing } };
}

/** The planted fields. */
const FIELDS: Record<string, string[]> = {
  amount: ['actualDisplayAmount'],
  currency: ['settlementCurrency'],
  account: ['toTxAddress', 'clientPaymentId'],
};

function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
