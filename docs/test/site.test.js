// The built site in Chromium, below the path that it was built for.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const DIST = fileURLToPath(new URL('../.vitepress/dist/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { width: 360, height: 800 };
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

const home = readFileSync(join(DIST, 'index.html'), 'utf8');
/** Every address of the site starts with it. */
const [, BASE = '/'] = /href="(\/[^"]*?)assets\//.exec(home) ?? [];
const PAGES = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.html') && !['404.html', 'inspector.html'].includes(file))
  .sort();

const server = createServer(({ url = '' }, response) => {
  const file = fileAt(new URL(url, 'http://site'));
  if (file === undefined) response.writeHead(404).end();
  else {
    const type = TYPES[/** @type {keyof TYPES} */ (extname(file))] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  }
});
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('playwright-core').Page} */
let page;
let site = '';
/** What a page says in the console, and what it asks of others. @type {string[]} */
const complaints = [];

before(async () => {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  page = await browser.newPage({ viewport: PHONE, reducedMotion: 'reduce' });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith(site)) complaints.push(`asks for ${request.url()}`);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(null)));
  const address = server.address();
  site = `http://127.0.0.1:${typeof address === 'object' && address?.port}${BASE}`;
});
after(async () => {
  await browser.close();
  server.close();
});

/**
 * The file of an address, as a static host finds it.
 *
 * @param {URL} address
 */
function fileAt({ pathname }) {
  if (!pathname.startsWith(BASE)) return undefined;
  const path = decodeURIComponent(pathname.slice(BASE.length));
  const file = join(DIST, path.endsWith('/') || path === '' ? `${path}index.html` : path);
  return existsSync(file) && extname(file) !== '' ? file : undefined;
}

test('no page complains, is wider than a phone or clips code, and every link and anchor leads somewhere', async () => {
  /** @type {Map<string, { ids: string[], links: string[], width: number, clipped: string[] }>} */
  const found = new Map();
  for (const name of PAGES) {
    await page.goto(site + name);
    await page.locator('.VPContent').waitFor();
    const parts = await page.evaluate(() => ({
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      links: [...document.querySelectorAll('a[href]')].map(
        (link) => /** @type {HTMLAnchorElement} */ (link).href,
      ),
      width: document.documentElement.scrollWidth,
      clipped: [...document.querySelectorAll('pre')].flatMap((code) =>
        code.scrollWidth > code.clientWidth ? [code.textContent] : [],
      ),
    }));
    found.set(join(DIST, name), parts);
  }
  /** @type {string[]} */
  const faults = [];
  for (const [name, { links, width, clipped }] of found) {
    if (width > PHONE.width) faults.push(`${name} is ${width} px wide`);
    for (const code of clipped) faults.push(`${name} clips ${code}`);
    for (const link of new Set(links)) {
      const url = new URL(link);
      if (url.origin !== new URL(site).origin) continue;
      const file = fileAt(url);
      const anchor = decodeURIComponent(url.hash.slice(1));
      const isPlace = anchor === '' || found.get(file ?? '')?.ids.includes(anchor);
      if (file === undefined || !isPlace) faults.push(`${name}: ${link}`);
    }
  }
  assert.deepEqual([...faults, ...complaints], []);
  assert(found.size > 12);
});

test('axe finds nothing on three pages, in both themes', async () => {
  for (const name of ['index.html', 'docs/frameworks.html', 'docs/runbook.html']) {
    await page.goto(site + name);
    await page.evaluate(AXE);
    for (const isDark of [false, true]) {
      const violations = await page.evaluate(async (isDark) => {
        document.documentElement.classList.toggle('dark', isDark);
        const { axe } = /** @type {any} */ (globalThis);
        // The rest is best practice, which VitePress's own home page misses.
        const options = { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] };
        const { violations } = await axe.run(options);
        return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html}`);
      }, isDark);
      assert.deepEqual(violations, [], `${name}${isDark ? ' in the dark' : ''}`);
    }
  }
});

test('search finds a field', async () => {
  await page.goto(`${site}docs/security.html`);
  const input = page.locator('.VPLocalSearchBox input');
  await page.locator('.VPNavBarSearch button').click();
  await input.fill('actualDepositAmount');
  await page.locator('.VPLocalSearchBox .result[href*="docs/fields.html"]').first().waitFor();
});
