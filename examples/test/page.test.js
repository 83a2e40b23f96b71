// The page in a real browser, with bodies that would like to be more than text.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import axe from 'axe-core';
import {
  deliver,
  depositReceivedBody,
  withdrawalBroadcastBody,
} from 'payment-notifications/testing';
import { chromium } from 'playwright-core';
import { openPostgres, reportOf, startMerchant } from './engines.js';
import { CHROMIUM, whyMissing } from './programs.js';

/** @import { Browser } from 'playwright-core' */
/** @import { Engine, Server, Storage } from './engines.js' */

const HOSTILE = `"><script>document.title = 'owned'</script><img src=x onerror="document.title='owned'">`;
const withdrawal = { clientWithdrawalId: HOSTILE };
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];

describe("the merchant's page", { skip: whyMissing('chromium', 'postgresql-15') }, () => {
  /** @type {Engine} */
  let engine;
  /** @type {Storage} */
  let storage;
  /** @type {Server} */
  let merchant;
  /** @type {Browser} */
  let browser;
  before(async () => {
    engine = await openPostgres();
    storage = await engine.create('page');
    merchant = await startMerchant(storage);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  });
  after(async () => {
    await browser?.close();
    await merchant?.stop();
    await engine.close();
  });

  /** @param {'light' | 'dark'} [colorScheme] */
  async function openPage(colorScheme = 'light') {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1000, height: 800 } });
    /** @type {string[]} */
    const requests = [];
    /** @type {string[]} */
    const complaints = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(new URL('/', merchant.url).href);
    return { page, requests, complaints };
  }

  test('shows what a person must settle, and runs none of it', async () => {
    const bodies = [
      depositReceivedBody({ clientPaymentId: HOSTILE, actualDepositAmount: '5' }),
      depositReceivedBody({ clientPaymentId: 'turned \u202e around', depositCurrency: HOSTILE }),
      withdrawalBroadcastBody(withdrawal, { seed: 1 }),
      withdrawalBroadcastBody({ ...withdrawal, status: 'BLOCKED' }, { seed: 1 }),
      withdrawalBroadcastBody({ ...withdrawal, actualWithdrawAmount: null }, { seed: 2 }),
      HOSTILE,
      JSON.stringify({ depositId: HOSTILE, clientPaymentId: HOSTILE, [HOSTILE]: 1 }),
      `{"new": "<b>", ${depositReceivedBody({}, { seed: 3 }).trim().slice(1)}`,
      depositReceivedBody({}, { seed: 4 }).replace('FIXED', HOSTILE.replaceAll('"', "'")),
    ];
    for (const body of bodies) await deliver(body, { url: merchant.url, retry: null });

    const { page, requests, complaints } = await openPage();
    assert.equal(await page.title(), '(4) Merchant');
    assert.deepEqual(await page.locator('.tasks li').allTextContents(), [
      'Conflicts: 1',
      'Withdrawals with two outcomes: 1',
      'Withdrawals without an amount: 1',
      'Refused bodies: 2',
    ]);
    const text = await page.locator('main').textContent();
    assert(text?.includes(HOSTILE));
    assert(text?.includes('turned \\u{202e} around'));
    assert(text?.includes('BLOCKED'));
    assert.equal(await page.locator('script, img, b').count(), 0);
    assert.deepEqual(requests, ['/']);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test('has no fault that axe knows, light, dark and narrow', async () => {
    for (const scheme of /** @type {const} */ (['light', 'dark'])) {
      const { page } = await openPage(scheme);
      await page.evaluate(
        `for (const details of document.querySelectorAll('details')) details.open = true`,
      );
      await page.setViewportSize({ width: 360, height: 700 });
      await page.evaluate(axe.source);
      const faults = await page.evaluate(
        'axe.run().then((found) => found.violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      );
      assert.deepEqual(faults, []);
      // The tables scroll, the page doesn't.
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
      await page.close();
    }
  });

  test('shows each until a person dismisses it, and then what comes later', async () => {
    const { conflicts, outcomes, withoutAmount, refused, drift } = (await reportOf(merchant)).lists;
    assert.deepEqual([conflicts[0].settled.amount, conflicts[0].claimed.amount], ['5', '0.01523']);
    assert.deepEqual(outcomes[0].statuses, ['COMPLETED', 'BLOCKED']);
    // By documented names alone: those of other fields are the sender's.
    assert.deepEqual(
      drift.map((/** @type {any} */ { code, field }) => [code, field]),
      [
        ['unknown_value', 'rateType'],
        ['additional_fields', ''],
      ],
    );
    assert.match(merchant.printed.join(), /CONFLICT: another body of deposit\.received:/);
    const dismiss = (/** @type {string} */ what) =>
      startMerchant(storage, { command: ['dismiss', what, 'asked the service'], exits: true });
    for (const { key, digest } of [...conflicts, ...outcomes, ...withoutAmount, ...refused])
      assert.equal((await dismiss(digest ?? key)).exitCode(), 0);
    assert.equal((await dismiss('it')).exitCode(), 1);
    const { page } = await openPage();
    assert.equal(await page.title(), 'Merchant');
    await page.close();

    const third = withdrawalBroadcastBody({ ...withdrawal, status: 'FAILED' }, { seed: 1 });
    await deliver(third, { url: merchant.url, retry: null });
    const { lists } = await reportOf(merchant);
    assert.deepEqual(lists.outcomes[0].statuses, ['COMPLETED', 'BLOCKED', 'FAILED']);
  });
});
