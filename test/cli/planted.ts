import { constants, gunzipSync } from 'node:zlib';
import { depositReceivedBody, withdrawalBroadcastBody } from 'payment-notifications/testing';

/** The kinds of lines, in turn. */
const PERIOD: ((seed: number) => string)[] = [
  (seed) => depositReceivedBody({}, { seed }),
  (seed) => withdrawalBroadcastBody({}, { seed }),
  () => '',
  (seed) => depositReceivedBody({ rateType: 'CAPPED' as 'FIXED' }, { seed }),
  (seed) => depositReceivedBody({ settlementAmount: undefined }, { seed }),
  (seed) => depositReceivedBody({}, { seed }).slice(0, -9),
  (seed) => withdrawalBroadcastBody({}, { seed }),
];

/** An archive whose lines are in turn of each kind, with LF or CRLF after a byte-order mark. */
export function plantedArchive(count: number): string {
  const lines = Array.from({ length: count }, (_, n) => {
    return `${PERIOD[n % PERIOD.length]?.(n)}${n % 3 === 0 ? '\r' : ''}\n`;
  });
  return `\ufeff${lines.join('')}`;
}

/** Counts what is planted, knowing nothing of the package: by JSON.parse and a few fields. */
export function countPlainly(bytes: Buffer) {
  const isGzip = bytes[0] === 0x1f;
  const plain = isGzip ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes;
  const lines = new TextDecoder().decode(plain).split('\n').slice(0, -1);
  const counts = { lines: lines.length, blank: 0, valid: 0, warnings: 0, refused: 0 };
  for (const line of lines) {
    const body = parsed(line);
    if (line.trim() === '') counts.blank += 1;
    else if (!body || (body.depositId && !body.settlementAmount)) counts.refused += 1;
    else counts[body.rateType === 'CAPPED' ? 'warnings' : 'valid'] += 1;
  }
  return counts;
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
