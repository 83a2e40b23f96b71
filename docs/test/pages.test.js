import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseHTML } from 'linkedom';
import { BASE, DIST, launch, openPage, PAGES, serve } from './site.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** From a telephone to a desk. */
const WIDTHS = [360, 768, 1440];

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

test('no page has a fault that axe finds, is wider than a window, complains, or asks anybody but its host', async () => {
  // The largest first, so that no window is left with one of those at the end.
  const size = (/** @type {string} */ name) => statSync(join(DIST, name)).size;
  const queue = PAGES.filter((name) => name !== '404.html')
    .sort((one, other) => size(other) - size(one))
    .values();
  /** @type {string[]} */
  const faults = [];

  /** Takes pages from the queue until it is empty. */
  async function examine() {
    // Without motion, colours are what they are, and not on their way there.
    const { page, complaints, requests, close } = await openPage(browser, {
      reducedMotion: 'reduce',
    });
    for (const name of queue) {
      await page.goto(site.url + name);
      await page.evaluate(AXE);
      // All but the colours are the same in the dark.
      const all = await violations(page, {});
      const dark = IN_THE_DARK.includes(name) ? await violationsInTheDark(page) : [];
      faults.push(...[...all, ...dark].map((violation) => `${name}: ${violation}`));
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const excess = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (excess > 0) faults.push(`${name} is wider than ${width} px`);
      }
    }
    faults.push(...complaints, ...requests.filter((url) => !url.startsWith(site.url)));
    await close();
  }

  await Promise.all([examine(), examine()]);
  assert.deepEqual(faults, []);
});

/**
 * What axe finds on a page.
 *
 * @param {import('playwright-core').Page} page
 * @param {object} options
 * @returns {Promise<string[]>}
 */
function violations(page, options) {
  return page.evaluate(async (runOptions) => {
    const { axe } = /** @type {any} */ (globalThis);
    // All rules are run; what passes is not described, which takes longer than to find it.
    const found = await axe.run({ ...runOptions, resultTypes: ['violations'] });
    return found.violations.map(
      (/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`,
    );
  }, options);
}

/** @param {import('playwright-core').Page} page */
async function violationsInTheDark(page) {
  await page.evaluate(() => document.documentElement.classList.add('dark'));
  const found = await violations(page, { runOnly: ['color-contrast'] });
  await page.evaluate(() => document.documentElement.classList.remove('dark'));
  return found.map((violation) => `in the dark, ${violation}`);
}

test('a name in a snippet shows its docblock, with links as code', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${site.url}start.html`);
  await page
    .locator('.twoslash-hover', { hasText: /^parseNotification$/ })
    .last()
    .hover();
  const popup = page.locator('.twoslash-floating');
  await popup
    .locator('code', { hasText: /^NotificationError$/ })
    .first()
    .waitFor();
  assert.doesNotMatch((await popup.textContent()) ?? '', /[{}]?@link|NotificationError\}/);
  assert.deepEqual(complaints, []);
  await close();
  // Nor anywhere else.
  const scripts = readdirSync(join(DIST, 'assets')).filter((file) => file.endsWith('.js'));
  const broken = scripts.filter((file) =>
    readFileSync(join(DIST, 'assets', file), 'utf8').includes('@link'),
  );
  assert.deepEqual(broken, []);
});

test('no snippet scrolls sideways on a desktop', async () => {
  const { page, close } = await openPage(browser, { viewport: { width: 1366, height: 900 } });
  for (const name of PAGES.filter((file) => !file.startsWith('reference/'))) {
    await page.goto(site.url + name);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('pre')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent?.slice(0, 60)),
    );
    assert.deepEqual(wide, [], name);
  }
  await close();
});

test('search finds a field, without asking anybody but its host', async () => {
  const { page, complaints, requests, close } = await openPage(browser);
  await page.goto(`${site.url}start.html`);
  const input = page.locator('.VPLocalSearchBox input');
  // Before the page's script has run, nobody hears the key.
  for (let pressed = 0; pressed < 1000 && !(await input.isVisible()); pressed += 1) {
    await page.keyboard.press('Control+k');
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await input.fill('idempotencyKey');
  await page.locator('.VPLocalSearchBox .result').first().waitFor();
  assert.deepEqual(complaints, []);
  assert(requests.every((url) => url.startsWith(site.url)));
  await close();
});
