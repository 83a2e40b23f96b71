// The page in a browser, as the package has it. What it says of a text: test/inspector.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { deposit, withdrawal } from '../sample-bodies.js';
import type {} from './pack.js';

const FILE = join(inject('consumer'), 'node_modules/payment-notifications/inspector.html');
const PHONE = { viewport: { width: 390, height: 640 } };

const ARRIVED =
  'Order order-10042: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.';
let browser: Browser;

beforeAll(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(() => browser.close());

/** Opens the file, and at the end sees that it asked for nothing else and has not complained. */
async function withPage(
  use: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ permissions, viewport, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(FILE).href);
  await use(page);
  expect(complaints).toStrictEqual([]);
  expect(requests).toStrictEqual([pathToFileURL(FILE).href]);
  await context.close();
}

/** Pastes by the keyboard, as somebody would. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+v');
}

const sentenceOf = (page: Page) => page.locator('.sentence').textContent();
const labelOf = (page: Page) => page.locator('.label > span').textContent();
const copiedFrom = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test('a paste says what the body says, and that it may be forged', async () => {
  await withPage(async (page) => {
    await paste(page, deposit());
    expect(await sentenceOf(page)).toBe(ARRIVED);
    expect(await labelOf(page)).toBe('✓good · deposit received');
    expect(await page.locator('.verdict').textContent()).toContain('Anyone can write such a body.');
    expect(await page.getByRole('status').textContent()).toBe(`good: ${ARRIVED}`);
    // Anywhere on the page, and in place of what was there.
    await page.locator('h1').click();
    await paste(page, withdrawal());
    expect(await page.locator('#box').inputValue()).toBe(withdrawal());
    await page.locator('#box').click();
    await paste(page, '{}');
    expect(await labelOf(page)).toBe('✗refused');
    expect(await page.locator('.verdict').textContent()).not.toContain('Anyone');
    await paste(page, 'He says that he paid.');
    expect(await sentenceOf(page)).toContain('21 characters that are not JSON');
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await sentenceOf(page)).toBe('Nothing to inspect yet');
    expect(await page.locator('#box').inputValue()).toBe('');
  });
});

test('what is typed is inspected, and an error of JSON leads to its place', async () => {
  await withPage(async (page) => {
    await page.keyboard.type('{}');
    expect(await labelOf(page)).toBe('✗refused');
    await page.keyboard.press('Backspace');
    const place = page.locator('#faults ~ .place');
    expect(await place.textContent()).toContain('Line 1, column 2: {it ends here');
    const lines = JSON.stringify(JSON.parse(deposit()), null, 2).split('\n');
    lines[20] += ']';
    await page.locator('#box').fill([...lines, ...Array(200).fill('')].join('\r\n'));
    expect(await place.textContent()).toContain(`Line 21, column ${lines[20]?.length}: `);
    expect(await place.locator('mark').textContent()).toBe(']');
    await page.getByRole('button', { name: 'Show in the text' }).click();
    const selected = await page.evaluate(() => {
      const box = document.activeElement as HTMLTextAreaElement;
      return box.value.slice(box.selectionStart - 2, box.selectionEnd);
    });
    expect(selected).toBe(`${lines[20]?.slice(-3)}`);
    // A byte-order mark in the box is no part of the text whose columns are counted.
    await page.locator('#box').fill('\uFEFF{"a":1]');
    await page.getByRole('button', { name: 'Show in the text' }).click();
    expect(await page.evaluate(() => `${getSelection()}`)).toBe(']');
  });
});

test('the sentence and the identifiers are copied', async () => {
  await withPage(async (page) => {
    await paste(page, deposit());
    await page.getByRole('button', { name: 'Copy clientPaymentId' }).click();
    await page.getByRole('status').getByText('clientPaymentId: copied').waitFor();
    expect(await copiedFrom(page)).toBe('order-10042');
    await page.getByRole('button', { name: 'Copy sentence' }).click();
    await page.getByRole('button', { name: 'Copied sentence' }).waitFor();
    expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(1);
    expect(await copiedFrom(page)).toBe(ARRIVED);
  });
  await withPage(
    async (page) => {
      await page.locator('#box').fill(deposit());
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));
      });
      await page.getByRole('button', { name: 'Copy sentence' }).click();
      await page.getByRole('button', { name: 'Not copied sentence' }).waitFor();
    },
    { permissions: [] },
  );
});

test('a field has its meaning, and the digits that are lost; times and amounts have a picture', async () => {
  await withPage(async (page) => {
    await paste(page, deposit({ actualDepositAmount: '0.123456789012345678', rateType: '1' }));
    const textOf = (name: string) => page.locator(name).textContent();
    const amount = '[data-field=actualDepositAmount]';
    expect(await textOf(amount)).toMatch(/Amount deposited.*0\.123456789012345678/s);
    expect(await textOf(`${amount} mark`)).toBe('78');
    expect(await textOf('[data-field=rateType]')).toMatch(/not readsent as1expected "FIXED"/);
    expect(await textOf('#faults')).toBe('1 warning');
    expect(await textOf('.times')).toContain('received2026-09-21 14:34:20 UTC');
    expect(await textOf('.money')).toContain('0.108226789012345678 more than expected');
  });
});

test('a sample says that it is one', async () => {
  await withPage(async (page) => {
    const outcomes: string[] = [];
    for (const label of await page.locator('.samples button').allTextContents()) {
      await page.getByRole('button', { name: label, exact: true }).click();
      expect(await labelOf(page)).toContain('sample');
      outcomes.push((await page.locator('.label strong').textContent()) ?? '');
      await page.getByRole('button', { name: 'Clear' }).click();
    }
    expect(outcomes).toStrictEqual('good check check good check refused'.split(' '));
  });
});

test('a file is opened or dropped', async () => {
  await withPage(async (page) => {
    const file = { name: 'callback.json', mimeType: '', buffer: Buffer.from(withdrawal()) };
    const notice = (text: string) => page.locator('.input p', { hasText: text }).waitFor();
    await page.locator('#file').setInputFiles(file);
    await notice('callback.json.');
    expect(await sentenceOf(page)).toMatch(/^Withdrawal payout-7731 completed/);
    await page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], 'one.json'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
    }, deposit());
    await notice('one.json.');
    expect(await sentenceOf(page)).toBe(ARRIVED);
    await page.locator('#file').setInputFiles({ ...file, buffer: Buffer.alloc(10_000_000, '\n') });
    await notice('65,537 characters, too long for this box.');
    expect(await sentenceOf(page)).toContain('more than 65536 bytes');
  });
});

test('nothing in a body becomes markup, and nothing invisible gets onto the page', async () => {
  const hostile = [
    '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>',
    '"><svg onload="globalThis.hacked=1"></svg><a href="javascript:globalThis.hacked=1">x</a>',
    '\u0000\u001b[31m\u202e\u200b\u2066\u3164\u115f\u034f\ufeff\u2028',
  ].join(' ');
  await withPage(async (page) => {
    for (const body of [deposit(), withdrawal()]) {
      const fields = JSON.parse(body);
      const owner = { name: hostile, category: hostile, [hostile]: hostile };
      const hostiles = Object.keys(fields).map((name) => ({ [name]: hostile, [hostile]: [name] }));
      const bodies = [...hostiles, { txAddressOwner: owner }].map((hostileFields) =>
        JSON.stringify({ ...fields, ...hostileFields }),
      );
      for (const text of [...bodies, hostile, `{"a":"${hostile}`]) {
        await page.locator('#box').fill(text);
        const { elements, isHacked, shown } = await page.evaluate(() => ({
          elements: document.querySelectorAll('main :is(img, svg, script, a, iframe, style)')
            .length,
          isHacked: 'hacked' in globalThis,
          shown: document.querySelector('.answer')?.textContent,
        }));
        expect({ elements, isHacked }).toStrictEqual({ elements: 0, isHacked: false });
        expect(shown).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{DI}]/u);
      }
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
      const { name, outline } = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const drawn = element.closest('label, .input:has(#box:focus)') ?? element;
        const { outlineStyle: outline } = getComputedStyle(drawn);
        return { name: element.id || (drawn.textContent ?? ''), outline };
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

test('on a phone, what a paste says is in view, and nothing but the page scrolls', async () => {
  await withPage(async (page) => {
    for (const text of [deposit(), '{', 'He says he paid.', JSON.stringify(deposit())]) {
      await page.evaluate(() => scrollTo(0, 0));
      await paste(page, text);
      const box = await page.locator('.sentence').boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.viewport.height);
      const scrolling = await page.evaluate(() =>
        [...document.querySelectorAll('main, main *')]
          .filter((element) => element.scrollHeight > element.clientHeight + 1)
          .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowY))
          .map(({ tagName }) => tagName),
      );
      expect(scrolling).toStrictEqual([]);
    }
    // The keyboard would cover it further down.
    await paste(page, deposit());
    expect((await page.locator('.verdict').boundingBox())?.y).toBeLessThan(20);
    expect(await page.evaluate(() => document.activeElement?.id)).not.toBe('box');
  }, PHONE);
});

test('axe finds nothing, and nothing is too wide', async () => {
  const long = deposit({
    actualDepositAmount: '0.123456789012345678',
    [`x${'y'.repeat(300)}`]: '1',
  });
  for (const [width, colorScheme] of [
    [390, 'light'],
    [390, 'dark'],
    [820, 'light'],
    [1280, 'dark'],
  ] as const) {
    await withPage(
      async (page) => {
        await page.evaluate(axe.source);
        for (const text of ['', deposit(), long, withdrawal(), '{', 'x']) {
          await page.locator('#box').fill(text);
          const found = await page.evaluate(async () => {
            const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
            const { violations } = await axe.run();
            const { scrollWidth, clientWidth } = document.documentElement;
            return {
              faults: violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
              isTooWide: scrollWidth > clientWidth,
            };
          });
          const where = `${text.slice(0, 40)} at ${width} px, ${colorScheme}`;
          expect(found, where).toStrictEqual({ faults: [], isTooWide: false });
        }
      },
      { viewport: { width, height: 900 }, colorScheme },
    );
  }
});

test('the policy lets the page ask nobody, and run nothing else', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.setHeader('access-control-allow-origin', '*').end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const page = await browser.newPage();
  await page.goto(pathToFileURL(FILE).href);
  const done = await page.evaluate(async (address) => {
    const image = Object.assign(new Image(), { src: address });
    const script = document.createElement('script');
    const tried = await Promise.allSettled([
      fetch(address),
      image.decode(),
      (async () => document.head.append(Object.assign(script, { textContent: '1' })))(),
      (async () => Object.assign(document.body, { innerHTML: '<p>' }))(),
    ]);
    return tried.map(({ status }) => status);
  }, `http://127.0.0.1:${port}/`);
  expect(done).toStrictEqual(Array(4).fill('rejected'));
  expect(asked).toBe(0);
  await page.close();
  server.close();
});

test('1 MB of anything, and 64 KiB of what is slow, hold the page for less than a second', async () => {
  const texts = [
    ...['x', '{', '{"a":', `${deposit()}\n`].map((text) => text.repeat(1e6 / text.length)),
    ...['[', '{"depositId":', '“', 'x\n'].map((text) => text.repeat(65_536 / text.length)),
    `{${Array.from({ length: 6000 }, (_, index) => `"x${index}":1`).join(',')}}`,
    'x\n'.repeat(4998),
  ];
  await withPage(async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    /** The time that the page's thread computes for, which other programs don't lengthen. */
    const timeOf = async (work: () => Promise<void>): Promise<number> => {
      const read = async () => {
        const { metrics } = await session.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
      };
      const start = await read();
      await work();
      return (await read()) - start;
    };
    // So much takes about a second where this was written.
    const second = await timeOf(() =>
      page.evaluate(() => {
        let hash = 0;
        for (let at = 0; at < 150_000_000; at += 1) hash = (hash * 31 + at) | 0;
        Object.assign(globalThis, { hash });
      }),
    );
    for (const text of texts) {
      const time = await timeOf(() =>
        page.evaluate(async (pasted) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', pasted);
          const event = new ClipboardEvent('paste', { clipboardData, bubbles: true });
          document.body.dispatchEvent(event);
          await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        }, text),
      );
      expect(time / second, text.slice(0, 20)).toBeLessThan(1);
    }
  });
});
