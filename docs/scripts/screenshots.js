// Pictures of the built site in every width and colour scheme, for people to look at.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch, openPage, serve } from '../test/site.js';

const FOLDER = fileURLToPath(new URL('../screenshots/', import.meta.url));
const PAGES = ['index', 'start', 'errors', 'handlers', 'benchmark', 'go-live'];
/** The inspector's states: the bodies that its buttons load. */
const BODIES = ['deposit', 'withdrawal', 'refused'];

mkdirSync(FOLDER, { recursive: true });
const site = await serve();
const browser = await launch();
for (const width of [390, 1366, 1920]) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const viewport = { width, height: 900 };
    const { page, close } = await openPage(browser, { viewport, colorScheme });
    const shoot = async (/** @type {string} */ name) => {
      // A picture is loaded when it is near.
      for (const image of await page.locator('img:visible').all()) {
        await image.scrollIntoViewIfNeeded();
        await image.evaluate((/** @type {HTMLImageElement} */ element) => element.decode());
      }
      // The header would be drawn where the page was last.
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({
        path: `${FOLDER}${name}-${width}-${colorScheme}.png`,
        fullPage: true,
      });
    };
    for (const name of PAGES) {
      await page.goto(`${site.url}${name}.html`);
      await shoot(name);
    }
    await page.goto(`${site.url}inspector.html`);
    await page.waitForFunction(() => performance.getEntriesByName('inspector-ready').length);
    await shoot('inspector-empty');
    for (const [index, name] of BODIES.entries()) {
      await page.locator('.quick button').nth(index).click();
      await shoot(`inspector-${name}`);
    }
    await close();
  }
}
await browser.close();
site.close();
console.log(`Written to ${FOLDER}`);
