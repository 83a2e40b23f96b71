// The README's picture of the inspector, from the built site. It is dark with rounded corners, which fits light and
// dark pages alike.
import { fileURLToPath } from 'node:url';
import { launch, openPage, serve } from '../test/site.js';

/** So many fields are enough to show what the page does. */
const FIELDS = 4;
const WIDTH = 1000;
const MARGIN = 24;

const site = await serve();
const browser = await launch();
const viewport = { width: WIDTH, height: 1000 };
const { page } = await openPage(browser, { viewport, colorScheme: 'dark' });
await page.goto(`${site.url}inspector.html`);
await page.waitForFunction(() => performance.getEntriesByName('inspector-ready').length);
// Nothing else is in the margin.
await page.addStyleTag({ content: '.inspector .input { visibility: hidden }' });
const first = await page.locator('[data-test=verdict]').boundingBox();
const last = await page.locator('tbody tr').nth(FIELDS).boundingBox();
if (!first || !last) throw new Error('nothing is shown');
const picture = await page.screenshot({
  fullPage: true,
  clip: { x: 0, y: first.y - MARGIN, width: WIDTH, height: last.y - first.y + MARGIN },
});
await page.goto('about:blank');
const source = `data:image/png;base64,${picture.toString('base64')}`;
await page.setContent(`<img src="${source}" style="display: block; border-radius: 8px">`);
const path = fileURLToPath(new URL('../images/inspector.png', import.meta.url));
await page.locator('img').screenshot({ path, omitBackground: true });
await browser.close();
site.close();
