// The pictures of the inspector for light and dark pages, from the built file. They have rounded
// corners.
import { fileURLToPath } from 'node:url';
import { fixture } from '../../fixtures/index.js';
import { INSPECTOR, launch, openPage } from '../test/site.js';

/** So many fields are enough to show what the page does. */
const FIELDS = 4;
const WIDTH = 1000;
const MARGIN = 24;

const browser = await launch();
for (const [colorScheme, name] of /** @type {const} */ ([
  ['light', 'inspector'],
  ['dark', 'inspector-dark'],
])) {
  const { page, close } = await openPage(browser, {
    viewport: { width: WIDTH, height: 1000 },
    colorScheme,
  });
  await page.goto(INSPECTOR);
  // Its digits show what the page does. Nothing says that it is a sample.
  await page.locator('#body').fill(fixture('deposit-received/eighteen-decimals').body.toString());
  // Nothing else is in the margin.
  await page.locator('.input').evaluate((element) => {
    element.style.visibility = 'hidden';
  });
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
  const path = fileURLToPath(new URL(`../images/${name}.png`, import.meta.url));
  await page.locator('img').screenshot({ path, omitBackground: true });
  await close();
}
await browser.close();
