// The built site on loopback, as a static host serves it: compressed, and below whatever path it was built for.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

export const DIST = fileURLToPath(new URL('../.vitepress/dist/', import.meta.url));
export const ROOT = new URL('../../', import.meta.url);

/** The address of the inspector on this disk. */
export const INSPECTOR = new URL('inspector.html', ROOT).href;

/** Whether to also try what takes long: `.ci/run --full`. */
export const isFull = process.env.FULL === 'true';

/**
 * Where what people do with the inspector is tried: in the file on this disk, and each night on the
 * site as well, which is built of the same components. inspector.test.js always tries the site.
 *
 * @type {('disk' | 'site')[]}
 */
export const PLACES = isFull ? ['disk', 'site'] : ['disk'];

/** The path that the site was built for: every asset's address starts with it. */
export const BASE =
  /href="(\/[^"]*?)assets\//.exec(readFileSync(join(DIST, 'index.html'), 'utf8'))?.[1] ?? '/';

/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Every page's path, `reference/index.html` among them. */
export const PAGES = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.html'))
  .sort();

export async function serve() {
  /** @type {Map<string, Buffer>} */
  const compressed = new Map();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    let file = join(DIST, decodeURIComponent(pathname.slice(BASE.length)));
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
    if (!pathname.startsWith(BASE) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-encoding': 'gzip',
    });
    const zipped = compressed.get(file) ?? gzipSync(readFileSync(file));
    compressed.set(file, zipped);
    response.end(zipped);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(null)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}${BASE}`,
    close: () => server.close(),
  };
}

export function launch() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error('no Chromium: apt-get install chromium');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/**
 * Tabs that tests have closed, by their options: opening a new one takes half a second.
 *
 * @type {Map<string, import('playwright-core').Page[]>}
 */
const closed = new Map();

/**
 * A page that takes note of what must not happen on it.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
export async function openPage(browser, options = {}) {
  const tabs = closed.get(JSON.stringify(options)) ?? [];
  closed.set(JSON.stringify(options), tabs);
  const page = tabs.pop() ?? (await openTab(browser, options));
  /** @type {string[]} */
  const complaints = [];
  /** @type {string[]} */
  const requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => requests.push(request.url()));
  async function close() {
    // The next test finds neither a page, nor what it stored, nor the mouse on something.
    await page.evaluate(() => localStorage.clear()).catch(() => {}); // about:blank has none
    await page.goto('about:blank');
    await page.mouse.move(0, 0);
    await page.removeAllListeners();
    tabs.push(page);
  }
  return { page, complaints, requests, close };
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').BrowserContextOptions} options
 */
async function openTab(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  return context.newPage();
}
