// The README's picture of the inspector, from the built site.
import { fileURLToPath } from 'node:url';
import { launch, openPage, serve } from '../test/site.js';

/** So many fields are enough to show what the page does. */
const FIELDS = 6;
const WIDTH = 1000;

const site = await serve();
const browser = await launch();
const viewport = { width: WIDTH, height: 1000 };
const { page } = await openPage(browser, { viewport, colorScheme: 'light' });
await page.goto(`${site.url}inspector.html`);
await page.waitForFunction(() => performance.getEntriesByName('inspector-ready').length);
const first = await page.locator('[data-test=verdict]').boundingBox();
const last = await page.locator('tbody tr').nth(FIELDS).boundingBox();
if (!first || !last) throw new Error('nothing is shown');
await page.screenshot({
  path: fileURLToPath(new URL('../images/inspector.png', import.meta.url)),
  fullPage: true,
  clip: { x: 0, y: first.y - 12, width: WIDTH, height: last.y - first.y + 12 },
});
await browser.close();
site.close();
