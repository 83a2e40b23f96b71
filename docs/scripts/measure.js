// How long the built inspector takes, in a Chromium of its own for each figure: until it can be used, and
// until a hostile body is shown, the first one and later ones. Prints the median and the range.
import process from 'node:process';
import { HOSTILE_BODIES, showBody } from '../test/hostile.js';
import { launch, openPage, serve } from '../test/site.js';

const TIMES = Number(process.argv[2] ?? 7);

const site = await serve();
/** @type {Map<string, number[]>} */
const figures = new Map();

/** @param {string} label @param {number} value */
function note(label, value) {
  figures.set(label, [...(figures.get(label) ?? []), value]);
}

for (let time = 0; time < TIMES; time += 1) {
  for (const [label, body] of Object.entries(HOSTILE_BODIES)) {
    const browser = await launch();
    const { page } = await openPage(browser);
    await page.goto(`${site.url}inspector.html`);
    await page.waitForFunction(() => performance.getEntriesByName('inspector-ready').length);
    const [ready] = await page.evaluate(() =>
      performance.getEntriesByName('inspector-ready').map(({ startTime }) => startTime),
    );
    note('ready', ready ?? Number.NaN);
    note(`${label}, first`, await showBody(page, body));
    note(`${label}, again`, await showBody(page, `${body} `.slice(0, 65_536)));
    await browser.close();
  }
}
site.close();

for (const [label, values] of figures) {
  const sorted = values.sort((one, other) => one - other).map(Math.round);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(`${label}: ${median} ms (${sorted[0]} to ${sorted.at(-1)})`);
}
