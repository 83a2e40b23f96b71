// The page in a browser, as the package has it. The numbers of its picture: test/inspector.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { deposit, withdrawal } from '../sample-bodies.js';
import type {} from './pack.js';

const FILE = join(inject('consumer'), 'node_modules/payment-notifications/inspector.html');
const ADDRESS = pathToFileURL(FILE).href;
const ARRIVED =
  'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.';
const DESK = { width: 1280, height: 900 };

let browser: Browser;
beforeAll(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(() => browser.close());

/** Opens the file, and at the end sees that it asked for nothing else and has not complained. */
async function withPage(use: (page: Page) => Promise<void>, viewport = DESK): Promise<void> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context = await browser.newContext({ permissions, viewport });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(ADDRESS);
  await use(page);
  expect({ complaints, requests }).toStrictEqual({ complaints: [], requests: [ADDRESS] });
  await context.close();
}

/** Pastes by the keyboard, as somebody would. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+v');
}

const textOf = (page: Page, selector: string) => page.locator(selector).textContent();
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('a paste says what the body says, and that it may be forged', async () => {
  await withPage(async (page) => {
    await paste(page, deposit());
    expect(await textOf(page, '.sentence')).toBe(ARRIVED);
    expect(await textOf(page, '.label > span')).toBe('✓good · deposit received');
    expect(await textOf(page, '.verdict')).toContain('Anyone can write such a body.');
    expect(await page.getByRole('status').textContent()).toBe(`good: ${ARRIVED}`);
    // Anywhere on the page, and in place of what was there.
    await page.locator('h1').click();
    await paste(page, withdrawal());
    expect(await page.locator('#box').inputValue()).toBe(withdrawal());
    await page.locator('#box').click();
    await paste(page, '{}');
    expect(await textOf(page, '.label > span')).toBe('✗refused');
    expect(await textOf(page, '.verdict')).not.toContain('Anyone');
    await click(page, 'Clear');
    expect(await textOf(page, '.sentence')).toBe('Nothing to inspect yet');
    expect(await page.locator('#box').inputValue()).toBe('');
  });
});

test('what is typed is inspected, and an error of JSON has its place', async () => {
  await withPage(async (page) => {
    await page.keyboard.type('{');
    expect(await textOf(page, '.place')).toContain('Line 1, column 2: {it ends here');
    const lines = JSON.stringify(JSON.parse(deposit()), null, 2).split('\n');
    lines[20] += ']';
    await page.locator('#box').fill([...lines, ...Array(200).fill('')].join('\r\n'));
    expect(await textOf(page, '.place')).toContain(`Line 21, column ${lines[20]?.length}: `);
  });
});

test('the sentence and the identifiers are copied', async () => {
  await withPage(async (page) => {
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await paste(page, deposit());
    await click(page, 'Copy clientPaymentId');
    await page.getByRole('status').getByText('clientPaymentId: copied').waitFor();
    expect(await copied()).toBe('order-10042');
    await click(page, 'Copy sentence');
    await page.getByRole('button', { name: 'Copied sentence' }).waitFor();
    expect(await copied()).toBe(ARRIVED);
    // As on a page from a server without TLS.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await click(page, 'Copy idempotency key');
    await page.getByRole('status').getByText('idempotency key: not copied').waitFor();
    // It is said until something else is shown.
    await page.locator('#box').fill('{}');
    expect(await page.getByRole('status').textContent()).toMatch(/^refused: The body is /);
  });
});

test('a field has its meaning, and what others misread; times and amounts have a picture', async () => {
  await withPage(async (page) => {
    await paste(page, deposit({ actualDepositAmount: '0.123456789012345678', rateType: '1' }));
    const amount = '[data-field=actualDepositAmount]';
    expect(await textOf(page, amount)).toMatch(/Amount actually deposited.*0\.123456789012345678/s);
    expect(await textOf(page, `${amount} .note`)).toContain('would read 0.12345678901234568');
    const rateType = await textOf(page, '[data-field=rateType]');
    expect(rateType).toMatch(/not readsent as1expected "FIXED"/);
    expect(await textOf(page, '#faults')).toBe('1 warning');
    expect(await textOf(page, '[data-field=settlementRateDepegLossAmount]')).toMatch(
      /no valuesent asnull$/,
    );
    expect(await textOf(page, '.times')).toContain('received2026-09-21 14:34:20 UTC');
    expect(await textOf(page, '.money')).toContain('0.108226789012345678 more than expected');
    await paste(page, withdrawal({ deducedSettlementAmount: '"1"' }));
    const debited = await textOf(page, '[data-field=deducedSettlementAmount]');
    expect(debited).toContain('Amount debited from your balance');
    await paste(page, deposit({ status: undefined }));
    const missing = /not sentexpected "CONFIRMED", received no value$/;
    expect(await textOf(page, '[data-field=status]')).toMatch(missing);
  });
});

test('a file is opened', async () => {
  await withPage(async (page) => {
    const open = (buffer: Buffer) =>
      page.locator('#file').setInputFiles({ name: 'callback.json', mimeType: '', buffer });
    const notice = (text: string) => page.locator('.notice', { hasText: text }).waitFor();
    await open(Buffer.from(withdrawal()));
    await notice('callback.json.');
    expect(await page.getByRole('status').textContent()).toMatch(/^callback\.json\. good: Withdr/);
    expect(await page.locator('#box').inputValue()).toBe(withdrawal());
    await open(Buffer.from(deposit({ network: '"\u00ff"' }), 'latin1'));
    await notice('callback.json. Its bytes are not UTF-8.');
    expect(await textOf(page, '.sentence')).toContain('bytes that are not UTF-8');
    await open(Buffer.alloc(10_000_000, '\n'));
    await notice('65,537 characters, too long for this box.');
    expect(await textOf(page, '.sentence')).toContain('more than 65536 bytes');
  });
});

test('nothing in a body becomes markup, and nothing invisible gets onto the page', async () => {
  const hostile = [
    '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>',
    '"><svg onload="globalThis.hacked=1"></svg><a href="javascript:globalThis.hacked=1">x</a>',
    '\u0000\u001b[31m\u202e\u200b\u2066\u3164\u115f\u034f\ufeff\u2028',
  ].join(' ');
  const bodies = [deposit(), withdrawal()].map((body) => {
    const names = Object.keys(JSON.parse(body));
    const readable = names.map((name) => ({ ...JSON.parse(body), [name]: hostile, [hostile]: 1 }));
    return [...readable, { ...JSON.parse(body), txAddressOwner: { name: hostile, [hostile]: 1 } }];
  });
  await withPage(async (page) => {
    const texts = bodies.flat().map((body) => JSON.stringify(body));
    for (const text of [...texts, hostile, `{"a":"${hostile}`]) {
      await page.locator('#box').fill(text);
      const markup = 'main :is(img, svg, script, a, iframe, style)';
      expect(await page.locator(markup).count()).toBe(0);
      expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
      expect(await textOf(page, '.answer')).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{DI}]/u);
    }
  });
});

test('the keyboard reaches everything, in the order of the page, and shows where it is', async () => {
  await withPage(async (page) => {
    await paste(page, deposit());
    await page.locator('h1').click();
    const reached: string[] = [];
    do {
      await page.keyboard.press('Tab');
      const [name = '', outline] = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const drawn = element.closest('label, .input:has(#box:focus)') ?? element;
        return [element.id || `${drawn.textContent}`, getComputedStyle(drawn).outlineStyle];
      });
      expect(outline, name).toBe('solid');
      reached.push(name.slice(0, 12));
    } while (reached.at(-1) !== 'Copy idempot');
    expect(reached).toStrictEqual([
      ...['file', 'clear', 'box', 'Copy sentenc'],
      ...['Copy deposit', 'Copy payment', 'Copy clientP', 'Copy transac', 'Copy idempot'],
    ]);
  });
});

test.each([
  [390, 'light'],
  [1280, 'dark'],
] as const)('axe finds nothing, and nothing is too wide: %i px, %s', async (width, colorScheme) => {
  const long = deposit({ [`x${'y'.repeat(300)}`]: '1' });
  await withPage(
    async (page) => {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(axe.source);
      for (const text of ['', deposit(), long, withdrawal(), '{', 'x']) {
        await page.locator('#box').fill(text);
        const found = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
          const { violations } = await axe.run();
          const { scrollWidth, clientWidth } = document.documentElement;
          const faults = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
          return { faults, isTooWide: scrollWidth > clientWidth };
        });
        expect(found, text.slice(0, 40)).toStrictEqual({ faults: [], isTooWide: false });
      }
    },
    { width, height: 900 },
  );
});

test('the policy lets the page ask nobody, and run nothing else', async () => {
  const page = await browser.newPage();
  const asked: string[] = [];
  await page.route('http://**', (route) => {
    asked.push(route.request().url());
    return route.fulfill({ headers: { 'access-control-allow-origin': '*' } });
  });
  await page.goto(ADDRESS);
  const done = await page.evaluate(async () => {
    const image = Object.assign(new Image(), { src: 'http://merchant.example/' });
    const script = document.createElement('script');
    const tried = await Promise.allSettled([
      fetch('http://merchant.example/'),
      image.decode(),
      (async () => document.head.append(Object.assign(script, { textContent: '1' })))(),
      (async () => Object.assign(document.body, { innerHTML: '<p>' }))(),
    ]);
    return tried.map(({ status }) => status);
  });
  expect({ done, asked }).toStrictEqual({ done: Array(4).fill('rejected'), asked: [] });
  await page.close();
});
