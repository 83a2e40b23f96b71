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
const lineOf = (order: number) =>
  deposit({
    clientPaymentId: `"order-${order}"`,
    depositId: `"0b0f1f0e-9d0c-4f9e-8d4a-${String(order).padStart(12, '0')}"`,
  });
const TEN = [
  ...[1, 2, 3].map(lineOf),
  lineOf(1),
  lineOf(2).replace(':0.01523', ':0.02'),
  withdrawal(),
  withdrawal({ status: '"FAILED"' }),
  deposit({ status: '"NEW"' }),
  ...[8, 9].map(lineOf),
].join('\n');

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
    expect(await labelOf(page)).toBe('✓Good · deposit received');
    expect(await page.locator('.verdict').textContent()).toContain('Anyone can write such a body.');
    expect(await page.getByRole('status').textContent()).toBe(`good: ${ARRIVED}`);
    // Anywhere on the page, and in place of what was there.
    await page.locator('h1').click();
    await paste(page, withdrawal());
    expect(await page.locator('#box').inputValue()).toBe(withdrawal());
    await page.locator('#box').click();
    await paste(page, '{}');
    expect(await labelOf(page)).toBe('✗Refused');
    expect(await page.locator('.verdict').textContent()).not.toContain('Anyone');
    await paste(page, 'He says that he paid.');
    expect(await sentenceOf(page)).toBe('No callback body was found in this text.');
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await sentenceOf(page)).toBe('Nothing to inspect yet');
    expect(await page.locator('#box').inputValue()).toBe('');
  });
});

test('what is typed is inspected', async () => {
  await withPage(async (page) => {
    await page.keyboard.type('{}');
    expect(await labelOf(page)).toBe('✗Refused');
    await page.keyboard.press('Backspace');
    expect(await page.locator('#faults + .faults + p').textContent()).toBe(
      'Not valid JSON at line 1, column 2: {the text ends here',
    );
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

test('a field has its meaning, what was read, what was sent, and the digits that are lost', async () => {
  await withPage(async (page) => {
    const fields = { actualDepositAmount: '0.123456789012345678', toTxAddress: '1.50' };
    await paste(page, deposit({ ...fields, paymentReceivedAt: '1790001260', rateType: '1' }));
    const textOf = (name: string) => page.locator(`[data-field=${name}]`).textContent();
    expect(await textOf('actualDepositAmount')).toMatch(/Amount deposited.*0\.123456789012345678/s);
    expect(await page.locator('[data-field=actualDepositAmount] mark').textContent()).toBe('78');
    expect(await textOf('paymentReceivedAt')).toMatch(/2026-09-21 14:34:20 UTCsent as1790001260/);
    expect(await textOf('rateType')).toMatch(/not readsent as1expected "FIXED"/);
    expect(await page.locator('#faults').textContent()).toBe('1 warning');
    expect(await page.locator('.times').textContent()).toContain('received2026-09-21 14:34:20 UTC');
    expect(await page.locator('.money').textContent()).toContain(
      'received0.1234567890123456780.108226789012345678 more than expected',
    );
  });
});

test('a sample says that it is one', async () => {
  await withPage(async (page) => {
    const labels = await page.locator('.samples button').allTextContents();
    const outcomes: string[] = [];
    for (const label of labels) {
      await page.getByRole('button', { name: label, exact: true }).click();
      expect(await labelOf(page)).toContain('sample');
      outcomes.push((await page.locator('.label strong').textContent()) ?? '');
      if (label === 'Several bodies') break;
      await page.getByRole('button', { name: 'Clear' }).click();
    }
    expect(outcomes).toStrictEqual('Good Review Review Good Review Refused Good'.split(' '));
    expect(await page.locator('#bodies').textContent()).toBe(
      '8 bodies 3 good · 4 to review · 1 refused',
    );
    await page.locator('#box').press('End');
    await page.keyboard.type(' ');
    expect(await labelOf(page)).not.toContain('sample');
  });
});

test('a file is opened or dropped', async () => {
  await withPage(async (page) => {
    const file = { name: 'callbacks.ndjson', mimeType: '', buffer: Buffer.from(TEN) };
    const notice = (text: string) => page.locator('.input p', { hasText: text }).waitFor();
    await page.locator('#file').setInputFiles(file);
    await notice('callbacks.ndjson.');
    expect(await page.locator('.list label').count()).toBe(10);
    await page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], 'one.json'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
    }, deposit());
    await notice('one.json.');
    expect(await sentenceOf(page)).toBe(ARRIVED);
    await page.locator('#file').setInputFiles({ ...file, buffer: Buffer.alloc(1_000_001, '\n') });
    await notice('reads at most 1 MB');
  });
});

test('of ten bodies, the mouse and the arrow keys choose one', async () => {
  await withPage(async (page) => {
    await paste(page, TEN);
    const lines = page.locator('.list label');
    expect(await page.locator('.list .mark').allTextContents()).toStrictEqual([...'✓!✓✓!!!✗✓✓']);
    expect(await page.locator('.list em').allTextContents()).toStrictEqual([
      'contradicts line 5',
      'same event as line 1',
      'contradicts line 2',
      'contradicts line 7',
      'contradicts line 6',
    ]);
    await lines.nth(2).click();
    expect(await sentenceOf(page)).toMatch(/^Order order-3:/);
    await page.keyboard.press('ArrowDown');
    expect(await labelOf(page)).toBe('✓Good · deposit received · line 4 · same event as line 1');
    // All of a line can be seen once it is chosen.
    const list = await page.locator('.list').boundingBox();
    for (let line = 5; line <= 10; line += 1) {
      await page.keyboard.press('ArrowDown');
      const chosen = await lines.nth(line - 1).boundingBox();
      const bottom = (chosen?.y ?? 0) + (chosen?.height ?? 0);
      expect(bottom).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0) + 1);
      if (line === 5) {
        expect(await page.locator('.verdict').textContent()).toContain('It contradicts line 2.');
      }
    }
    expect(await sentenceOf(page)).toMatch(/^Order order-9:/);
    await paste(page, Array.from({ length: 502 }, (_, order) => lineOf(order)).join('\n'));
    expect(await page.locator('.bodies > p').textContent()).toBe('… and 2 more: use inspect.');
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
      const bodies = [
        ...Object.keys(fields).map((name) => ({
          ...fields,
          [name]: hostile,
          [hostile]: [hostile],
        })),
        { ...fields, txAddressOwner: { name: hostile, category: hostile, [hostile]: hostile } },
      ].map((one) => JSON.stringify(one));
      for (const text of [...bodies, bodies.join('\n'), hostile, `{"a":"${hostile}`]) {
        await page.locator('#box').fill(text);
        const { elements, isHacked, shown } = await page.evaluate(() => ({
          elements: document.querySelectorAll('main :is(img, svg, script, a, iframe, style)')
            .length,
          isHacked: 'hacked' in globalThis,
          shown: `${document.querySelector('.bodies')?.textContent}${document.querySelector('.answer')?.textContent}`,
        }));
        expect({ elements, isHacked }).toStrictEqual({ elements: 0, isHacked: false });
        expect(shown).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{DI}]/u);
      }
    }
  });
});

test('the keyboard reaches everything, in the order of the page, and shows where it is', async () => {
  await withPage(async (page) => {
    await paste(page, TEN);
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
      ...['file', 'clear', 'box', '1✓good: Orde', 'Copy sentenc'],
      ...['Copy deposit', 'Copy payment', 'Copy clientP', 'Copy transac', 'Copy idempot'],
    ]);
  });
});

test('on a phone, what a paste says is in view', async () => {
  await withPage(async (page) => {
    for (const text of [deposit(), '{', 'He says he paid.', TEN]) {
      await page.evaluate(() => scrollTo(0, 0));
      await paste(page, text);
      const seen = page.locator(text === TEN ? '.list label' : '.sentence').first();
      const box = await seen.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.viewport.height);
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
        for (const text of ['', deposit(), long, withdrawal(), '{', 'x', TEN]) {
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
  const tried = await page.evaluate(async (address) => {
    const refused: string[] = [];
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      refused.push(effectiveDirective),
    );
    const image = new Image();
    const failed = new Promise((resolve) => image.addEventListener('error', resolve));
    image.src = `${address}image`;
    const [fetched] = await Promise.allSettled([fetch(`${address}fetch`), failed]);
    const attempts = [
      () =>
        document.head.append(Object.assign(document.createElement('script'), { textContent: '1' })),
      () => Object.assign(document.body, { innerHTML: '<p>' }),
    ];
    const thrown = attempts.filter((attempt) => {
      try {
        attempt();
        return false;
      } catch {
        return true;
      }
    });
    await new Promise((resolve) => setTimeout(resolve));
    return {
      refused: [...new Set(refused)].sort(),
      fetched: fetched.status,
      thrown: thrown.length,
    };
  }, `http://127.0.0.1:${port}/`);
  expect(tried).toStrictEqual({
    refused: ['connect-src', 'img-src', 'require-trusted-types-for'],
    fetched: 'rejected',
    thrown: 2,
  });
  expect(asked).toBe(0);
  await page.close();
  server.close();
});

test('1 MB of anything, 100,000 braces and 100,000 lines hold the page for less than a second', async () => {
  const megabyte = (text: string) => text.repeat(Math.ceil(1e6 / text.length)).slice(0, 1e6);
  const texts = [
    ...['x', '>', '{', '[', '{"', '{""', '{:{""', '{\\"', '{"a":', '{\n', '{}\n', '{x}\n'],
    ...[deposit(), `${deposit()}\n`, `${JSON.stringify(deposit())}\n`, '{"level":"info"}\n'],
  ].map(megabyte);
  const others = [
    Array.from({ length: 950 }, (_, order) => lineOf(order)).join('\n'),
    `{${Array.from({ length: 6000 }, (_, index) => `"x${index}":1`).join(',')}}`,
    '{'.repeat(100_000),
    '\n'.repeat(100_000),
    'x\n'.repeat(100_000),
    'x\n'.repeat(4_998),
    'x y '.repeat(65_536),
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
    for (const text of [...texts, ...others]) {
      await page.evaluate((pasted) => Object.assign(globalThis, { pasted }), text);
      const time = await timeOf(() =>
        page.evaluate(async () => {
          const clipboardData = new DataTransfer();
          const { pasted } = globalThis as unknown as { pasted: string };
          clipboardData.setData('text/plain', pasted);
          const event = new ClipboardEvent('paste', { clipboardData, bubbles: true });
          document.body.dispatchEvent(event);
          await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        }),
      );
      expect(time / second, text.slice(0, 20)).toBeLessThan(1);
    }
  });
});
