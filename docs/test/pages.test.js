import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseHTML } from 'linkedom';
import { BASE, DIST, launch, openPage, PAGES, serve } from './site.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENSHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));

/** One page of each kind: the others have the same colours. */
const IN_THE_DARK = ['errors.html', 'fields.html', 'index.html', 'inspector.html'];

/** @type {Awaited<ReturnType<typeof serve>>} */
let site;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser.close();
  site.close();
});

test('every link and anchor within the site leads somewhere', () => {
  const documents = new Map(
    PAGES.map((page) => [page, parseHTML(readFileSync(join(DIST, page), 'utf8')).document]),
  );
  /** @type {string[]} */
  const broken = [];
  let count = 0;
  for (const [page, document] of documents) {
    for (const link of document.querySelectorAll('a[href]')) {
      const href = link.getAttribute('href') ?? '';
      const url = new URL(href, `http://site${BASE}${page}`);
      if (url.host !== 'site') continue;
      count += 1;
      const path = decodeURIComponent(url.pathname);
      let target = path.startsWith(BASE) ? path.slice(BASE.length) : path;
      if (target === '' || target.endsWith('/')) target += 'index.html';
      if (!path.startsWith(BASE)) broken.push(`${page}: ${href}`);
      else if (/\.(txt|md)$/.test(target)) readFileSync(join(DIST, target));
      else if (!documents.has(target)) broken.push(`${page}: ${href}`);
      else if (url.hash.length > 1) {
        const id = decodeURIComponent(url.hash.slice(1));
        if (!documents.get(target)?.getElementById(id)) broken.push(`${page}: ${href}`);
      }
    }
  }
  assert.deepEqual(broken, []);
  assert(count > 100);
});

test('no page has a fault that axe finds, complains on the console, or asks anybody but its host', async () => {
  // Without motion, colours are what they are, and not on their way there.
  const { page, complaints, requests, close } = await openPage(browser, {
    reducedMotion: 'reduce',
  });
  /** @type {string[]} */
  const violations = [];
  for (const name of PAGES.filter((name) => name !== '404.html')) {
    await page.goto(site.url + name);
    await page.evaluate(AXE);
    for (const scheme of IN_THE_DARK.includes(name) ? ['light', 'dark'] : ['light']) {
      await page.evaluate((isDark) => {
        document.documentElement.classList.toggle('dark', isDark);
      }, scheme === 'dark');
      // All but the colours are the same in the dark.
      const options = scheme === 'dark' ? { runOnly: ['color-contrast'] } : {};
      const found = await page.evaluate(
        (runOptions) => /** @type {any} */ (globalThis).axe.run(runOptions),
        options,
      );
      for (const { id, nodes } of found.violations) {
        violations.push(`${name}, ${scheme}: ${id}: ${nodes[0].html.slice(0, 200)}`);
      }
    }
  }
  assert.deepEqual([...new Set(violations)].slice(0, 20), []);
  assert.deepEqual(complaints, []);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(site.url)),
    [],
  );
  await close();
});

test('search finds a field, without asking anybody but its host', async () => {
  const { page, complaints, requests, close } = await openPage(browser);
  await page.goto(`${site.url}start.html`);
  await page.keyboard.press('Control+k');
  await page.locator('.VPLocalSearchBox input').fill('idempotencyKey');
  await page.locator('.VPLocalSearchBox .result').first().waitFor();
  assert.deepEqual(complaints, []);
  assert(requests.every((url) => url.startsWith(site.url)));
  await close();
});

test('pictures of some pages, for people to look at', async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const width of [360, 768, 1440]) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const { page, close } = await openPage(browser, {
        viewport: { width, height: 900 },
        colorScheme,
      });
      for (const name of ['index', 'start', 'fields', 'inspector']) {
        await page.goto(`${site.url}${name}.html`);
        if (name === 'inspector') await page.locator('.quick button').first().click();
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(overflow, 0, `${name} is wider than ${width} px`);
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`) });
      }
      await close();
    }
  }
});
