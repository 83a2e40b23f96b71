// How long the built inspector takes, in a Chromium of its own for each body: until it can be used, and until
// a hostile body is shown, the first time and again. Prints median and range, and of a body also the CPU time
// of the page's thread, which a busy machine doesn't lengthen as much.
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
    // Nobody pastes sooner.
    await page.waitForTimeout(1500);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
    await session.send('Performance.enable');
    const cpuTime = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
    };
    for (const turn of ['first', 'again']) {
      const before = await cpuTime();
      note(`${label}, ${turn}`, await showBody(page, turn === 'first' ? body : `${body.trim()} `));
      note(`${label}, ${turn}, CPU`, (await cpuTime()) - before);
    }
    await browser.close();
  }
}
site.close();

for (const [label, values] of figures) {
  const sorted = values.sort((one, other) => one - other).map(Math.round);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(`${label}: ${median} ms (${sorted[0]} to ${sorted.at(-1)})`);
}
