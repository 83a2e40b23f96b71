import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { inspectBody } from 'payment-notifications/inspect';
import { describe, expect, test } from 'vitest';
import { createTotals } from '../../src/cli/totals.js';
import { judgeBody } from '../../src/inspect/judgement.js';
import { deposit, withdrawal } from '../sample-bodies.js';
import { command, linesOf, temporaryFolder } from './terminal.js';

const { folder, write } = temporaryFolder();

const summaryOf = (body: string) => inspectBody(body).summary;

describe('one body', () => {
  const NO_JSON = 'body: invalid_json: expected a JSON object, received';
  const NO_TYPE =
    'body: unrecognized_notification: expected either a depositId or a withdrawalId, received';

  test.each([
    [
      '{\n  "amount": 0,5\n}',
      `✗ ${NO_JSON} JSON with an error at line 2, column 15

  line 2:   "amount": 0,<here>5`,
    ],
    ['', `✗ ${NO_JSON} an empty body. Check whether something else read it first`],
    [
      '{"a":1,"networkFeeAmount":0.10}',
      `✗ ${NO_TYPE} neither

  a                                    1 → not read
  networkFeeAmount                     0.10 → not read`,
    ],
  ])('is explained line by line: %j', async (stdin, rest) => {
    const { exit, out } = await command('inspect', { stdin });
    expect(exit).toBe(1);
    const title = `✗ standard input: refused, unknown type\n  ${summaryOf(stdin)}`;
    expect(out).toBe(`${title}\n\n  ${rest}\n`);
  });

  const NO_OWNER = 'expected an object with name and category';
  const broken = withdrawal({
    ...{ businessId: '"x"', toTxAddress: '"r?dt=7"', withdrawFee: '"free"' },
    ...{ transactionId: undefined, txAddressOwner: undefined },
  });

  // Of what is shown, some lines, with a bar between columns.
  test.each<[title: string, body: string, exit: number, lines: string[]]>([
    [
      '! standard input: check, deposit.received',
      deposit({ actualDepositAmount: '0.123456789012345678', rateType: undefined }),
      0,
      [
        'status | "CONFIRMED"',
        'actualDepositAmount | 0.123456789012345678',
        '└ a plain JSON.parse would read 0.12345678901234568',
        'paymentReceivedAt | 1790001260 → 2026-09-21 14:34:20 UTC',
        'displayRateDepegLossAmount | null → no value',
        'not sent | rateType',
        'idempotency key | deposit.received:0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11',
      ],
    ],
    [
      '✗ standard input: refused, withdrawal.broadcast',
      broken,
      1,
      [
        '✗ businessId: invalid_id: expected a UUID, received a string of length 1',
        `! txAddressOwner: missing_field: ${NO_OWNER}, received no value`,
        'withdrawFee | "free" → not read',
        'toTxAddress | "r?dt=7" → address r, tag 7',
        'not sent | txAddressOwner, transactionId',
        'withdrawalId | 3d6c2c1e-52a5-4f0b-9a53-2f1d8c0b7e44',
        'clientWithdrawalId | payout-7731',
      ],
    ],
  ])('is explained: %s', async (title, stdin, code, lines) => {
    const { exit, out } = await command('inspect', { stdin });
    expect(exit).toBe(code);
    expect(out.startsWith(`${title}\n  ${summaryOf(stdin)}\n\n`)).toBe(true);
    const shown = linesOf(out).map((line) => line.trim().replace(/ {2,}/g, ' | '));
    expect(shown).toStrictEqual(expect.arrayContaining(lines));
  });

  const SAVED = '  Saved 1970-01-01 00:00:00 UTC';
  test.each([
    ['review', 'a\u001b reason\n', '! F: check', [`${SAVED}: a\\u001b reason`]],
    ['review', null, '! F: check', [SAVED]],
    [
      'review',
      'x'.repeat(2000),
      '! F: check',
      [`${SAVED}: ${'x'.repeat(400)}… (1,000 characters)`],
    ],
    // Copies: the time of a download says nothing.
    ['mail', 'a\u001b reason\n', '! F: check', ['  Reason: a\\u001b reason']],
    ['mail', null, '✓ F: good', []],
  ])('in %s says first when it was saved, and why: %j', async (place, reason, title, saved) => {
    // Only the end of the name decides where the reason is.
    const name = `json${reason?.length}/${place}/refused.${'0'.repeat(16)}`;
    const file = write(`${name}.json`, deposit());
    if (reason !== null) write(`${name}.txt`, reason);
    utimesSync(file, 0, 0);
    const { out } = await command(['inspect', file]);
    const lines = [`${title}, deposit.received`, ...saved, `  ${summaryOf(deposit())}`];
    expect(linesOf(out.replace(file, 'F')).slice(0, lines.length)).toStrictEqual(lines);
    const json = JSON.parse((await command(['inspect', '--json', file])).out);
    const since = place === 'review' ? '1970-01-01T00:00:00.000Z' : null;
    expect(json).toMatchObject({ since, reason: reason?.trim().slice(0, 1000) ?? null });
  });

  test.each(['deposit', 'withdrawal'])('may be read as a %s', async (as) => {
    const stdin = as === 'deposit' ? withdrawal() : deposit();
    const { out } = await command(`inspect --as ${as}`, { stdin });
    expect(linesOf(out)[0]).toMatch(new RegExp(`^✗ standard input: refused, ${as}\\.`));
    const json = JSON.parse((await command(`inspect --json --as ${as}`, { stdin })).out);
    expect(json.type).toMatch(as);
  });

  test('that is long is shown in part', async () => {
    const stdin = deposit({ extra: JSON.stringify('\u0000'.repeat(5000)), ['x'.repeat(500)]: '1' });
    const { out } = await command('inspect', { stdin });
    expect(out.length).toBeLessThan(6000);
    expect(out).toContain('… (30,002 characters)');
  });
});

describe('several bodies', () => {
  const other = deposit({ actualDepositAmount: '1' });
  const refused = deposit({ actualDepositAmount: '-1', status: undefined });
  const failed = withdrawal({ status: '"FAILED"' });
  const bodies = {
    '1.json': deposit(),
    '2.json': withdrawal({ txAddressOwner: undefined }),
    '3.json': refused,
    '4.json': deposit({ networkFeeAmount: '0.10' }),
    '5.ndjson': `${failed}\n${other}\n`,
    '6.json': withdrawal({ txAddressOwner: '{"name":5,"category":"x"}' }),
    '7.json': `${deposit()}\n${deposit()}`,
    '8.json': deposit({ depositId: '"0b0f1f0e-9d0c-4f9e-8d4a-000000000002"' }),
  };
  for (const [name, body] of Object.entries(bodies)) write(`callbacks/${name}`, body);
  const path = join(folder, 'callbacks');

  test('have a line each, and totals', async () => {
    const { exit, out, err } = await command(['inspect', path]);
    expect({ exit, err }).toStrictEqual({ exit: 1, err: '' });
    expect(out.replaceAll(path, 'F')).toBe(`✓ F/1.json  ${summaryOf(bodies['1.json'])}
✓ F/2.json  ${summaryOf(bodies['2.json'])}
✗ F/3.json  ${summaryOf(refused)}
    missing_field: status: expected "CONFIRMED", received no value
    negative_amount: actualDepositAmount: expected zero or more, received -1
✓ F/4.json  ${summaryOf(deposit())}
! F/5.ndjson:1  ${summaryOf(failed)}
! F/5.ndjson:2  ${summaryOf(other)}
✓ F/6.json  ${summaryOf(bodies['6.json'])}
✗ F/7.json  ${summaryOf(bodies['7.json'])}
! F/8.json  ${summaryOf(bodies['8.json'])} The same transaction as F/1.json.

9 webhooks in 8 files

         4  good
         3  to check
         2  refused

reasons
         1  warning: missing_field txAddressOwner, first in F/2.json
         1  refused: missing_field status, first in F/3.json
         1  refused: negative_amount actualDepositAmount, first in F/3.json
         1  check: FAILED or BLOCKED, first in F/5.ndjson:1
         1  check: more or fewer coins than expected, first in F/5.ndjson:2
         1  warning: wrong_type txAddressOwner.name, first in F/6.json
         1  refused: invalid_json JSON with an error at line … column …, first in F/7.json
         1  check: the same transaction as another deposit, first in F/8.json
`);
  });

  test('with --quiet are those to check or refused, with --json a line of JSON each', async () => {
    const quiet = await command(['inspect', '--quiet', path]);
    expect(quiet.out.replaceAll(`${path}/`, '').match(/^[✓!✗] \S+/gm)).toStrictEqual([
      ...['✗ 3.json', '! 5.ndjson:1', '! 5.ndjson:2', '✗ 7.json', '! 8.json'],
    ]);
    expect(quiet.out).toContain('9 webhooks in 8 files');
    const json = await command(['inspect', '--json', path]);
    const lines = linesOf(json.out).map((line) => JSON.parse(line));
    expect({ exit: json.exit, length: lines.length }).toStrictEqual({ exit: 1, length: 9 });
    const unsaved = { since: null, reason: null, sameTransactionAs: null };
    const inspection = inspectBody(bodies['1.json']);
    expect(lines[0]).toStrictEqual({ place: `${path}/1.json`, ...unsaved, ...inspection });
    const both = await command(['inspect', '--json', '--quiet', path]);
    expect(linesOf(both.out)).toHaveLength(5);
  });

  test('of a store have the reasons first, which are counted without what differs', async () => {
    const store = join(folder, 'webhooks');
    const since = new Date('2026-09-21T14:34:20Z');
    const saved = [
      ['!', 'progress/x.5555555555555555', deposit(), 'in progress, try 1'],
      ['!', 'retry/x.0000000000000000', deposit(), 'no connection to 10.0.0.1'],
      ['✗', 'review/x.1111111111111111', '{}', 'a field is missing [depositId 0b0f]'],
      ['!', 'review/x.2222222222222222', deposit(), 'base64 text of order order-1'],
      ['✗', 'review/x.3333333333333333', '{}', 'a field is missing [depositId 3d6c]'],
      // Someone has moved only the body.
      ['!', 'review/x.4444444444444444', deposit(), null],
    ] as const;
    // What is no body of the store: someone has moved one to `retry`, and a server writes another.
    write('webhooks/review/x.0000000000000000.txt', 'unknown order\n');
    write('webhooks/retry/.0b0f1f0e-9d0c-4f9e-8d4a-0c3f6f3b5a11', 'x');
    write('webhooks/other/x.json', deposit());
    const lines = saved.map(([mark, name, body, reason]) => {
      if (reason !== null) write(`webhooks/${name}.txt`, `${reason}\n`);
      utimesSync(write(`webhooks/${name}.json`, body), since, since);
      const { summary } = inspectBody(body, { isSaved: true });
      const why = reason === null ? '' : `: ${reason}`;
      return `${mark} ${name}.json  2026-09-21 14:34:20 UTC${why}  ${summary}\n`;
    });
    const { exit, out } = await command(['inspect', '--quiet', store]);
    expect(exit).toBe(1);
    expect(out.replaceAll(`${store}/`, '')).toBe(`${lines.join('')}
6 webhooks in 6 files

         4  to check
         2  refused

reasons
         2  review: a field is missing, first in review/x.1111111111111111.json
         1  progress: in progress, try …, first in progress/x.5555555555555555.json
         1  retry: no connection to …, first in retry/x.0000000000000000.json
         1  review: base64 text of order …, first in review/x.2222222222222222.json
         1  review: without a reason, first in review/x.4444444444444444.json

The receiver retries the webhooks in progress and in retry. The webhooks in review wait for a
decision. For each reason, see node_modules/payment-notifications/docs/runbook.md.
`);
    const json = await command(['inspect', '--json', store]);
    const waiting = { since: since.toJSON(), reason: 'no connection to 10.0.0.1' };
    expect(JSON.parse(`${linesOf(json.out)[1]}`)).toMatchObject({ outcome: 'check', ...waiting });
  });

  test('that have many faults are listed and counted up to a limit', async () => {
    const { out } = await command('inspect', { stdin: '{"depositId":1}\n{"withdrawalId":1}' });
    expect(out.match(/^ {4}and \d+ more$/gm)).toStrictEqual(['    and 6 more', '    and 6 more']);
    expect(out.match(/^ {4}\w+: /gm)).toHaveLength(8);
    // So that an archive takes no more memory.
    const totals = createTotals();
    for (let n = 0; n < 12_000; n += 1) {
      const reason = n.toString(2).replaceAll('0', 'o').replaceAll('1', 'i');
      const saved = { folder: 'retry', since: null, reason };
      totals.add(judgeBody(deposit()), 'check', { place: 'x', saved }, null);
    }
    const report = totals.report({ files: 0, unread: 0 });
    expect(report).toContain('            and 9,980 more\n');
    expect(report.match(/, first in/g)).toHaveLength(20);
  });

  test('may be none, and some may be unreadable', async () => {
    // One folder alone makes no store.
    write('empty/retry/x.json', deposit());
    expect(await command(['inspect', join(folder, 'empty')])).toMatchObject({
      ...{ exit: 1, out: '0 webhooks in 0 files\n' },
    });
    const { exit, out } = await command(['inspect', 'none', `${path}/1.json`, `${path}/2.json`]);
    expect(exit).toBe(2);
    expect(out).toContain('\n2 webhooks in 2 files, 1 not read\n');
    expect(await command('inspect none')).toMatchObject({ exit: 2, out: '' });
    const goodAndToCheck = `${deposit()}\n${failed}`;
    expect(await command('inspect', { stdin: goodAndToCheck })).toMatchObject({ exit: 0 });
  });
});

test('a body can not write over other lines', async () => {
  const clientPaymentId = '"a\\u001b[2J\\u202eb\u009b\u007f"';
  const stdin = deposit({ clientPaymentId, '\\u001b[31m\u202e': '"x"' });
  for (const line of ['inspect', 'inspect --json', `inspect - ${write('x.json', '{}')}`]) {
    const { out } = await command(line, { stdin });
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
  }
});
