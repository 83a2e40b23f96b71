import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseHTML } from 'linkedom';
import { BASE, DIST, launch, openPage, PAGES, serve } from './site.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A phone, a tablet and two desktops. */
const WIDTHS = [360, 768, 1366, 1440];

/** The other pages have the same colours, in snippets and in the dark. */
const IN_EVERY_COLOUR = [
  'errors.html',
  'fields.html',
  'handlers.html',
  'index.html',
  'inspector.html',
];

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
      else if (/\.(txt|md|mjs|sql|json)$/.test(target)) readFileSync(join(DIST, target));
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

test('no page has a fault that axe finds, is too wide, complains, or asks anybody but its host', async () => {
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
      const found = await violations(page, IN_EVERY_COLOUR.includes(name));
      faults.push(...found.map((violation) => `${name}: ${violation}`));
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll('pre')]
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ localName, textContent }) => `${localName} ${textContent?.slice(0, 60)}`),
        );
        // A snippet may scroll, but not on a desktop; what the reference quotes may anywhere.
        const mayScroll = width < 1366 || name.startsWith('reference/');
        const tooWide = wide.filter((element) => !(mayScroll && element.startsWith('pre')));
        faults.push(...tooWide.map((element) => `${name} at ${width} px: ${element}`));
      }
    }
    faults.push(...complaints, ...requests.filter((url) => !url.startsWith(site.url)));
    await close();
  }

  await Promise.all([examine(), examine()]);
  assert.deepEqual(faults, []);
});

/**
 * Runs axe on a page. Colours in snippets and in the dark take most of the time, so they are checked only if asked for.
 *
 * @param {import('playwright-core').Page} page
 * @param {boolean} inEveryColour
 * @returns {Promise<string[]>}
 */
function violations(page, inEveryColour) {
  return page.evaluate(async (isAsked) => {
    const { axe } = /** @type {any} */ (globalThis);
    // What passes is not described, which takes longer than to find it.
    const options = { resultTypes: ['violations'] };
    const colours = { ...options, runOnly: ['color-contrast'] };
    const runs = [
      await axe.run({ ...options, rules: { 'color-contrast': { enabled: false } } }),
      await axe.run(isAsked ? document : { exclude: ['pre'] }, colours),
    ];
    const { classList } = document.documentElement;
    if (isAsked) classList.add('dark');
    if (isAsked) runs.push(await axe.run(colours));
    classList.remove('dark');
    return runs.flatMap(({ violations: found }, index) =>
      found.map(
        (/** @type {any} */ { id, nodes }) =>
          `${id}${index === 2 ? ' in the dark' : ''}: ${nodes[0].html.slice(0, 200)}`,
      ),
    );
  }, inEveryColour);
}

test('a name in a snippet shows its docblock, with links as code', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${site.url}index.html`);
  await page
    .locator('.twoslash-hover', { hasText: /^parseDepositReceived$/ })
    .last()
    .hover();
  const popup = page.locator('.twoslash-floating');
  await popup
    .locator('code', { hasText: /^NotificationError$/ })
    .first()
    .waitFor();
  assert.doesNotMatch((await popup.textContent()) ?? '', /[{}]?@link|NotificationError\}/);

  await page.goto(`${site.url}testing.html`);
  await page.locator('.twoslash-hover', { hasText: /^retry$/ }).hover();
  const prose = popup.locator('.twoslash-popup-docs p', { hasText: 'DEPOSIT_RETRY' });
  await prose.waitFor();
  assert.match((await prose.textContent()) ?? '', /^When to retry\. DEPOSIT_RETRY retries as/);
  assert.deepEqual(complaints, []);
  await close();
  // Nor anywhere else.
  const scripts = readdirSync(join(DIST, 'assets')).filter((file) => file.endsWith('.js'));
  const broken = scripts.filter((file) =>
    readFileSync(join(DIST, 'assets', file), 'utf8').includes('@link'),
  );
  assert.deepEqual(broken, []);
});

test('a list can be ticked, and a reload keeps what is ticked', async () => {
  const { page, complaints, close } = await openPage(browser);
  await page.goto(`${site.url}go-live.html`);
  const box = page.locator('.task input').nth(1);
  // Until the page's script has run, nothing keeps it.
  await page.waitForFunction(() =>
    document.querySelector('.task input')?.hasAttribute('data-kept'),
  );
  await box.check();
  await page.reload();
  await page.locator('.task input:checked').waitFor();
  assert(await box.isChecked());
  assert.deepEqual(complaints, []);
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
