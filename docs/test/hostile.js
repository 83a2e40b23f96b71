// Bodies of 64 KiB that are made to cost a page much, and how long one takes to be shown.

const LENGTH = 64 * 1024;
const FIELDS = Array.from({ length: 8000 }, (_, index) => `"${index.toString(36)}":0`).join(',');

/** @type {Record<string, string>} */
export const HOSTILE_BODIES = {
  'many fields': `{"depositId":1,${FIELDS}`.slice(0, LENGTH - 1).replace(/,[^,]*$/, '}'),
  'one long text': `{"depositId":"${'<'.repeat(LENGTH - 20)}"}`,
  'a long number': `{"depositId":1,"actualDepositAmount":${'1'.repeat(LENGTH - 60)}}`,
  'deep nesting': `{"depositId":1,"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  'no JSON': '{'.repeat(LENGTH - 1),
};

/**
 * Puts a body into the page's textarea, and gives the milliseconds until it is painted.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} body
 */
export function showBody(page, body) {
  return page.evaluate(async (text) => {
    const area = document.querySelector('textarea');
    if (!area) throw new Error('no textarea');
    const start = performance.now();
    area.value = text;
    area.dispatchEvent(new Event('input'));
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    return performance.now() - start;
  }, body);
}
