import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { deliver } from '../../dist/testing.js';
import { fixture, fixtures } from '../../fixtures/index.js';
import { launch, openPage, serve } from './site.js';

/** @typedef {import('playwright-core').Page} Page */

const TYPES = {
  parseNotification: '',
  parseDepositReceived: 'deposit.received',
  parseWithdrawalBroadcast: 'withdrawal.broadcast',
};
const DEDUCTED = 'deductedSettlementAmount';
const DEDUCED = 'deducedSettlementAmount';
/**
 * What the page may weigh on the wire, with scripts and styles. Most of it is the site's own, which
 * grows with its pages. The limit of the inspector alone is that of its file.
 */
const MAX_TRANSFER = 164_000;

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

/** @param {import('playwright-core').BrowserContextOptions} [options] */
async function openInspector(options) {
  const opened = await openPage(browser, options);
  await opened.page.goto(`${site.url}inspector.html`);
  await opened.page.waitForFunction(() => performance.getEntriesByName('inspector-ready').length);
  return opened;
}

/** @param {Page} page @param {string | Buffer} body */
async function giveFile(page, body) {
  // The page reads a file after this returns: without the last body's verdict, a test can wait for the next one.
  await page.locator('#body').fill('');
  await page.locator('[data-test=verdict]').waitFor({ state: 'detached' });
  const buffer = Buffer.from(body);
  await page.locator('input[type=file]').setInputFiles({ name: 'b', mimeType: '', buffer });
}

/** What the page shows. @param {Page} page */
function read(page) {
  return page.evaluate(() => {
    const texts = (/** @type {string} */ selector, /** @type {ParentNode} */ parent = document) =>
      [...parent.querySelectorAll(selector)].map((node) => node.textContent?.trim() ?? '');
    return {
      verdict: document.querySelector('[data-test=verdict]')?.getAttribute('data-verdict'),
      text: texts('[data-test=verdict]')[0],
      remarks: [...document.querySelectorAll('.remarks li')].map((item) => ({
        kind: item.className,
        code: item.getAttribute('data-code'),
        path: item.getAttribute('data-path'),
        message: texts('code ~ *', item)[0],
      })),
      identifiers: Object.fromEntries(
        [...document.querySelectorAll('.identifiers div')].map((item) => [
          texts('dt', item)[0],
          texts('dd code', item)[0],
        ]),
      ),
      rows: Object.fromEntries(
        [...document.querySelectorAll('tbody tr')].map((row) => [
          texts('th', row)[0],
          { raw: row.querySelector('.raw')?.childNodes, parsed: texts('.parsed span', row) },
        ]),
      ),
    };
  });
}

test('every fourth fixture is shown with the outcome that it must have', async () => {
  const { page, complaints, close } = await openInspector();
  let type = '';
  // Base64 is taken for text without a body.
  const shown = fixtures.filter(({ id }, index) => index % 4 === 0 && id !== 'invalid/base64');
  for (const { id: name, parser, body, expected } of shown) {
    if (TYPES[parser] !== type) {
      type = TYPES[parser];
      await page.locator(`input[type=radio][value="${type}"]`).check();
    }
    await giveFile(page, body);
    if (body.length > 0) await page.locator('[data-test=verdict]').waitFor();
    const { verdict, remarks, identifiers, rows } = await read(page);
    const { issues, notification, idempotencyKey, reference = {} } = expected;
    if (body.length === 0) continue;

    const warnings = notification?.warnings ?? [];
    const listed = remarks.filter(({ kind }) => kind === (issues ? 'fault' : 'warning'));
    assert.deepEqual(
      listed.map(({ code, path }) => `${code} ${path}`),
      (issues ?? warnings).map(({ code, path }) => `${code} ${path.join('.')}`),
      name,
    );
    const outcome = issues ? 'refused' : warnings.length > 0 ? 'warnings' : 'valid';
    assert.equal(verdict, outcome, name);
    if (issues) assert.deepEqual(identifiers, reference, name);
    else assert.equal(identifiers['idempotency key'], idempotencyKey, name);
    for (const [field, value] of Object.entries(notification ?? {})) {
      // Of two spellings, either one may have had the value.
      const names = field === DEDUCTED ? [DEDUCTED, DEDUCED] : [field];
      const cells = names.flatMap((key) => rows[key]?.parsed ?? []);
      if (typeof value !== 'string' || cells.length === 0) continue;
      assert(cells.includes(value), `${name}: ${field} is ${value}, but ${cells} is shown`);
    }
  }
  assert.deepEqual(complaints, []);
  await close();
});

test('it starts with a sample, and its menu says what each one shows', async () => {
  const { page, close } = await openInspector();
  assert.equal((await read(page)).verdict, 'valid');
  const select = page.locator('.select select');
  assert.equal(await select.inputValue(), 'deposit-received/sample');
  await page.getByRole('button', { name: '18 decimals' }).click();
  assert.equal(await select.inputValue(), 'deposit-received/eighteen-decimals');
  assert.equal(await page.locator('[data-field=actualDepositAmount] mark').textContent(), '78');
  const option = select.locator('optgroup[label=Withdrawals] option', { hasText: 'leading zeros' });
  assert((await option.count()) > 0);
  await close();
});

test('a whole session sends nothing: no request, and nothing on the console', async () => {
  const { page, complaints, requests, close } = await openInspector({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const loaded = requests.length;
  for (const button of await page.locator('.quick button').all()) await button.click();
  await page.locator('.select select').selectOption('withdrawal-broadcast/sample');
  for (const summary of await page.locator('summary').all()) await summary.click();
  for (const button of await page.locator('.copy:visible').all()) await button.click();
  await page.getByRole('button', { name: 'Make a link' }).click();
  await page.locator('.notice', { hasText: 'Link copied' }).waitFor();
  await giveFile(page, fixture('invalid/many-faults').body);
  await page.locator('.remarks .jump').first().click();
  await page.locator('#body').fill('{"depositId": 1e400}');
  assert.deepEqual(requests.slice(loaded), []);
  assert.deepEqual(complaints, []);

  // The policy is what keeps it so.
  const { status } = await page.evaluate(async () => {
    const [tried] = await Promise.allSettled([fetch('/')]);
    return tried;
  });
  assert.equal(status, 'rejected');
  assert.deepEqual(requests.slice(loaded), []);
  await close();
});

test('a link opens the same view, after a reload and elsewhere', async () => {
  const { page, close } = await openInspector({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.locator('input[type=radio][value="withdrawal.broadcast"]').check();
  await giveFile(page, fixture('withdrawal-broadcast/sample').body);
  await page.locator('[data-test=verdict]').waitFor();
  const before = await read(page);
  await page.getByRole('button', { name: 'Make a link' }).click();
  await page.locator('.notice', { hasText: 'Link copied' }).waitFor();
  assert.match(
    (await page.locator('.notice').textContent()) ?? '',
    /address bar .* contain the body/,
  );
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, await page.evaluate(() => location.href));
  assert(link.length < 800, `${link.length} characters`);

  await page.reload();
  await page.locator('[data-test=verdict]').waitFor();
  assert.deepEqual(await read(page), before);
  // The link stays in the address bar until there is another body.
  assert.equal(link, await page.evaluate(() => location.href));
  await page.locator('#body').fill('{}');
  await page.waitForFunction(() => location.hash === '');
  await close();

  const other = await openPage(browser);
  await other.page.goto(link);
  await other.page.locator('[data-test=verdict]').waitFor();
  assert.deepEqual(await read(other.page), before);
  assert(await other.page.locator('input[type=radio][value="withdrawal.broadcast"]').isChecked());
  // The body is in none of the addresses that were asked for.
  assert(other.requests.every((url) => !new URL(url).search && !url.includes('#1.')));

  await other.page.evaluate(() => {
    location.hash = '#1.d.AAAA';
  });
  await other.page.locator('.notice', { hasText: 'damaged' }).waitFor();
  await other.close();
});

test('bytes that are no text keep their outcome in a link, which the address bar has if it is not copied', async () => {
  // To grant a permission is to refuse the others.
  const { page, close } = await openInspector({ permissions: ['geolocation'] });
  await giveFile(page, fixture('invalid/not-utf-8').body);
  await page.locator('.notice', { hasText: 'not UTF-8' }).waitFor();
  await page.getByRole('button', { name: 'Make a link' }).click();
  const notice = page.locator('.notice', { hasText: 'Copy the link from the address bar' });
  assert.match((await notice.textContent()) ?? '', /the address bar .* contain the body/);
  await page.waitForURL(/#1\./);
  await page.reload();
  await page.locator('[data-test=verdict]').waitFor();
  assert.match((await read(page)).remarks[0]?.message ?? '', /bytes that are not UTF-8/);
  await close();
});

/** Bodies of 64 KiB that cost a page as much as possible. */
const LENGTH = 64 * 1024;
const FIELDS = Array.from({ length: 8000 }, (_, index) => `"${index.toString(36)}":0`).join(',');
const COSTLY = {
  'many fields': `{"depositId":1,${FIELDS}`.slice(0, LENGTH - 1).replace(/,[^,]*$/, '}'),
  'one long text': `{"depositId":"${'<'.repeat(LENGTH - 20)}"}`,
  'a long number': `{"depositId":1,"actualDepositAmount":${'1'.repeat(LENGTH - 60)}}`,
  'deep nesting': `{"depositId":1,"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  'no JSON': '{'.repeat(LENGTH - 1),
};

const HOSTILE = [
  '<img src=x onerror="globalThis.hacked=1">',
  '<script>globalThis.hacked=1</script>',
  '"><svg onload="globalThis.hacked=1"></svg><a href="javascript:globalThis.hacked=1">x</a>',
  '{{ globalThis.hacked = 1 }}',
  '\u0024{globalThis.hacked=1}`',
];

test('nothing in a body becomes markup, a link or a script, in values and in names', async () => {
  const { page, complaints, close } = await openInspector();
  const text = HOSTILE.join(' ');
  for (const name of ['deposit-received/sample', 'withdrawal-broadcast/sample']) {
    const fields = JSON.parse(fixture(name).body.toString());
    // All at once is refused early; one at a time, the rest of the page is filled.
    const bodies = [
      Object.fromEntries(Object.keys(fields).map((field) => [field, text])),
      ...Object.keys(fields).map((field) => ({ ...fields, [field]: text, [text]: [text] })),
      { ...fields, txAddressOwner: { name: text, category: text, [text]: text } },
    ];
    for (const body of bodies) {
      await page.locator('#body').fill(JSON.stringify(body));
      const found = await page.evaluate(() => ({
        elements: document.querySelectorAll(
          '.inspector > :not(.lead) :is(img, svg, script, iframe, object, embed, a, link, style)',
        ).length,
        hacked: 'hacked' in globalThis,
      }));
      assert.deepEqual(found, { elements: 0, hacked: false });
    }
  }
  assert.deepEqual(complaints, []);
  await close();
});

test('text that turns a line around or prints nothing is shown as its escapes', async () => {
  const { page, close } = await openInspector();
  await page.locator('#body').fill('{"depositId": "a\u202Eb\u200Bc", "x\u2066y": 1}');
  const text = await page.locator('tbody').textContent();
  assert.match(text ?? '', /a\\u202eb\\u200bc/);
  assert.match(text ?? '', /x\\u2066y/);
  assert.doesNotMatch(text ?? '', /[\u202E\u200B\u2066]/);
  await close();
});

test('the digits that JSON.parse loses are marked in the number', async () => {
  const { page, close } = await openInspector();
  const marks = async (/** @type {string} */ literal) => {
    const body = fixture('deposit-received/sample').body.toString();
    await page
      .locator('#body')
      .fill(body.replace(/(?<="actualDepositAmount": )[^,]*/, () => literal));
    const row = page.locator('[data-field=actualDepositAmount] .raw');
    return (await row.locator('mark').allTextContents()).join();
  };
  assert.equal(await marks('0.123456789012345678'), '78');
  assert.equal(await marks('123456789.123456789123456789'), '89123456789');
  assert.equal(await marks('9007199254740993'), '3');
  assert.equal(await marks('1234567890123456789e-18'), '89');
  assert.equal(await marks('0.5'), '');
  await close();
});

test('address and tag stand apart, and faults at their fields', async () => {
  const { page, close } = await openInspector();
  await giveFile(page, fixture('withdrawal-broadcast/tag-with-leading-zeros').body);
  const row = page.locator('[data-field=toTxAddress]');
  await row.waitFor();
  assert.match((await row.locator('.parsed').textContent()) ?? '', /destination tag\s*00482/);

  await giveFile(page, fixture('invalid/missing-fields').body);
  await page.locator('.remarks .jump', { hasText: 'actualDepositAmount' }).focus();
  await page.keyboard.press('Enter');
  // The row is focused after it is drawn.
  const focused = /actualDepositAmount.*not sent.*received nothing/s;
  await page.locator('tr:focus', { hasText: focused }).waitFor();
  await close();
});

test('a body that breaks off says where', async () => {
  const { page, close } = await openInspector();
  const place = page.locator('[data-test=place]');
  await page.locator('#body').fill('{\n  "depositId": "x",\n  "status": CONFIRMED\n}');
  assert.match((await place.textContent()) ?? '', /line 3, column 13:/);
  assert.match((await place.locator('mark').textContent()) ?? '', /^CONFIRMED/);
  await page.locator('#body').fill('{"depositId": "x"}');
  assert.equal(await place.count(), 0);
  await close();
});

test('a delivery is compared with its redelivery, digit by digit', async () => {
  const { page, complaints, close } = await openInspector();
  const body = fixture('deposit-received/eighteen-decimals').body.toString();
  await page.locator('#body').fill(body);
  await page.getByRole('button', { name: 'Compare' }).click();
  const relationOf = async (/** @type {string} */ other) => {
    await page.locator('#second').fill(other);
    return (await page.locator('[data-test=relation]').textContent()) ?? '';
  };
  assert.match(await relationOf(body), /the same body/);
  const encoded = body.replace(/(?<="actualDepositAmount": )[^,]*/, '"$&"');
  assert.match(await relationOf(encoded), /encoded differently/);
  assert.match(
    await relationOf(body.replace('345678,', '345679,')),
    /contradict each other in 1 field/,
  );
  assert.equal(await page.locator('[data-test=relation].refused').count(), 1);
  const [first, other] = await Promise.all(
    ['#body', '#second'].map((id) => page.locator(id).boundingBox()),
  );
  assert.deepEqual([first?.y, first?.height], [other?.y, other?.height]);
  const marks = page.locator('[data-difference=actualDepositAmount] mark');
  assert.deepEqual(await marks.allTextContents(), ['8', '9']);
  assert.match(await relationOf(body.replace('5a11"', '5a12"')), /Two events/);
  assert.match(await relationOf('{'), /One of the two bodies is refused/);
  await page.locator('#body').fill('[');
  assert.match(await relationOf('{'), /Both bodies are refused/);
  assert.deepEqual(complaints, []);
  await close();
});

test('an amount that is off by a digit shows by how much, and a refused body credits nothing', async () => {
  const { page, close } = await openInspector();
  const body = fixture('deposit-received/sample').body.toString();
  const pay = (/** @type {string} */ amount) =>
    page.locator('#body').fill(body.replace(/(?<="actualDepositAmount": )[^,]*/, amount));
  await pay('0.01522999');
  const money = page.locator('.money').getByText('0.00000001 less than expected');
  await money.waitFor();
  await pay('0.01523');
  await money.waitFor({ state: 'detached' });
  await page.locator('#body').fill(body.replace('CONFIRMED', 'NEW'));
  await page.locator('.verdict.refused').waitFor();
  assert.equal(await page.locator('.picture').count(), 0);
  await close();
});

test('an unknown field is kept in additionalFields, but not that of a refused body', async () => {
  const { page, close } = await openInspector();
  const body = fixture('deposit-received/sample').body.toString().replace('{', '{"later": 1.50,');
  await page.locator('#body').fill(body);
  const note = page.locator('[data-field=later] .remark');
  assert.match((await note.textContent()) ?? '', /the service doesn't document.*additionalFields/);
  const value = page.locator('[data-field=later] .value');
  assert.equal((await value.textContent())?.trim(), '1.50');
  await page.locator('#body').fill(body.replace('CONFIRMED', 'NEW').replace('"FIXED"', '1'));
  await page.locator('.verdict.refused').waitFor();
  assert.match((await note.textContent()) ?? '', /the service doesn't document/);
  assert.doesNotMatch((await page.locator('table').textContent()) ?? '', /additionalFields/);
  await close();
});

test('lost digits are marked in another way than a difference', async () => {
  const { page, close } = await openInspector();
  await page.getByRole('button', { name: '18 decimals' }).click();
  await page.locator('.money mark').waitFor();
  const marks = ['.money mark', '[data-field=actualDepositAmount] mark'];
  const [difference, lost] = await page.evaluate(
    (selectors) =>
      selectors.map((selector) => {
        const element = document.querySelector(selector);
        if (!element) throw new Error(selector);
        const { textDecorationStyle, color, backgroundColor } = getComputedStyle(element);
        return { textDecorationStyle, color, backgroundColor };
      }),
    marks,
  );
  for (const [property, value] of Object.entries(difference ?? {})) {
    assert.notEqual(/** @type {any} */ (lost)[property], value, property);
  }
  await close();
});

test('a code and its message are apart, and messages are of one size, linked or not', async () => {
  for (const width of [390, 1280]) {
    const { page, close } = await openInspector({ viewport: { width, height: 900 } });
    const sizes = new Set();
    for (const body of ['{}', '{', fixture('invalid/many-faults').body.toString()]) {
      await page.locator('#body').fill(body);
      await page.locator('.verdict.refused').waitFor();
      const items = await page.evaluate(() =>
        [...document.querySelectorAll('.remarks code + *, .place')].map((element) => {
          const code = element.previousElementSibling?.getBoundingClientRect();
          const box = element.getBoundingClientRect();
          const isApart = !code || box.left >= code.right + 8 || box.top >= code.bottom;
          return { isApart, size: getComputedStyle(element).fontSize };
        }),
      );
      assert(items.length > 0 && items.every(({ isApart }) => isApart), `${body} at ${width} px`);
      for (const { size } of items) sizes.add(size);
    }
    assert.equal(sizes.size, 1, [...sizes].join());
    await close();
  }
});

test('a copied test passes for the right answer, and fails for another one and without a handler', async () => {
  const { page, close } = await openInspector();
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end());
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(null)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const url = `http://127.0.0.1:${address.port}/`;
  const expect = (/** @type {unknown} */ actual) => ({
    toBe: (/** @type {unknown} */ expected) => assert.equal(actual, expected),
  });
  const outcome = async (/** @type {string} */ body) => {
    await page.locator('#body').fill(body);
    const code = (await page.locator('.copies pre').first().textContent()) ?? '';
    const runnable = code.replace(/^import .*$/gm, '').replace(/'http:.*?'/, `'${url}'`);
    /** @type {Promise<string> | undefined} */
    let result;
    const run = (/** @type {string} */ _, /** @type {() => Promise<void>} */ check) => {
      result = check().then(
        () => 'passed',
        () => 'failed',
      );
    };
    new Function('deliver', 'expect', 'test', runnable)(deliver, expect, run);
    return result;
  };
  const accepted = fixture('deposit-received/sample').body.toString();
  const refused = accepted.replace('CONFIRMED', 'NEW');
  assert.equal(await outcome(accepted), 'passed');
  assert.equal(await outcome(refused), 'failed');
  status = 400;
  assert.equal(await outcome(accepted), 'failed');
  assert.equal(await outcome(refused), 'passed');
  server.close();
  server.closeAllConnections();
  assert.equal(await outcome(accepted), 'failed');
  assert.equal(await outcome(refused), 'failed');
  await close();
});

test('of a body of 64 KiB that is made to cost much, little is drawn', async () => {
  const { page, complaints, close } = await openInspector();
  for (const [label, body] of Object.entries(COSTLY)) {
    assert(body.length <= LENGTH);
    await page.locator('#body').fill(body);
    // How long it takes depends on the machine; how much is drawn doesn't.
    const { nodes, characters } = await page.evaluate(() => ({
      nodes: document.querySelectorAll('.inspector *').length,
      characters: document.querySelector('.results')?.textContent?.length ?? 0,
    }));
    assert(nodes < 1000, `${label}: ${nodes} elements`);
    assert(characters > 0 && characters < 25_000, `${label}: ${characters} characters`);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test('the page is light', async (t) => {
  const context = await browser.newContext(); // with nothing cached
  const page = await context.newPage();
  let transferred = 0;
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    transferred += encodedDataLength;
  });
  await page.goto(`${site.url}inspector.html`, { waitUntil: 'load' });
  await page.waitForFunction(() => performance.getEntriesByName('inspector-ready').length);
  const ready = await page.evaluate(
    () => performance.getEntriesByName('inspector-ready')[0]?.startTime ?? 0,
  );
  t.diagnostic(`${transferred} bytes, ready after ${Math.round(ready)} ms`);
  assert(transferred <= MAX_TRANSFER, `${transferred} bytes`);
  await context.close();
});
