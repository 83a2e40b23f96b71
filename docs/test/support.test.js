// What people do with the inspector who have a complaint and no editor, on the site and in the file on this disk.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fixture } from '../../fixtures/index.js';
import { INSPECTOR, isFull, launch, openPage, PLACES, serve } from './site.js';

/** @typedef {import('playwright-core').Page} Page */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MAX_FILE = 150_000;
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

/** Not the one that the page starts with. */
const DEPOSIT = fixture('deposit-received/sample').body.toString().replace('10042', '77');
const WITHDRAWAL = fixture('withdrawal-broadcast/tag-with-leading-zeros').body.toString();
const SENTENCE =
  'Order order-77: 0.01523 BTC arrived, worth 950.25 EUR, exactly what was expected.';
const ARRIVED = new RegExp(SENTENCE);
const SAMPLE = /Order order-10042: /;
const SENT = /Withdrawal payout-7731 completed: .* with the tag 00482/;
/** A body in one line. */
const LINE = JSON.stringify(JSON.parse(DEPOSIT));
const NGINX = LINE.replaceAll('"', '\\x22');
/** One event and one payment for each number. */
const lineOf = (/** @type {number} */ order) =>
  LINE.replace('order-77', `order-${order}`).replace(
    /(?<="(?:depositId|paymentId)":".{24}).{12}/g,
    String(order).padStart(12, '0'),
  );

/** @type {Awaited<ReturnType<typeof serve>>} */
let site;
/** @type {import('playwright-core').Browser} */
let browser;
const folder = mkdtempSync(join(tmpdir(), 'inspector-'));

before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser.close();
  site.close();
  rmSync(folder, { recursive: true });
});

/**
 * Opens the page, and at the end sees that it has sent nothing and has not complained.
 *
 * @param {'site' | 'disk'} where
 * @param {(page: Page) => Promise<void>} use
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
async function withInspector(where, use, options) {
  const { page, complaints, requests, close } = await openPage(browser, options);
  await page.goto(where === 'disk' ? INSPECTOR : `${site.url}inspector.html`);
  await page.waitForFunction(() => performance.getEntriesByName('inspector-ready').length);
  // A page that is opened from a disk asks for nothing but itself.
  const loaded = where === 'disk' ? 1 : requests.length;
  await use(page);
  assert.deepEqual(requests.slice(loaded), []);
  assert.deepEqual(complaints, []);
  await close();
}

/** @param {Page} page @param {string} text */
async function paste(page, text) {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+v');
}

/** @param {Page} page @param {string} name @param {string | Buffer} content */
async function drop(page, name, content) {
  const base64 = Buffer.from(content).toString('base64');
  await page.evaluate(
    ([fileName = '', data = '']) => {
      const dataTransfer = new DataTransfer();
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], fileName));
      document.body.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      );
    },
    [name, base64],
  );
}

/** Waits for the sentence of the body. @param {Page} page @param {RegExp} sentence */
async function says(page, sentence) {
  await page.locator('[data-test=verdict] .summary', { hasText: sentence }).waitFor();
}

/** Waits until all bodies are read. @param {Page} page @param {RegExp} counts */
async function counts(page, counts) {
  await page.locator('[data-test=bodies][aria-busy=false] .counts', { hasText: counts }).waitFor();
}

/** Lets the page read no further than its first slice, until `goOn`. @param {Page} page */
async function hold(page) {
  await page.evaluate(() => {
    const { postMessage } = MessagePort.prototype;
    /** @type {(() => void)[]} */
    const waiting = [];
    MessagePort.prototype.postMessage = function (/** @type {any} */ message) {
      waiting.push(() => postMessage.call(this, message));
    };
    Object.assign(globalThis, {
      goOn: () => {
        MessagePort.prototype.postMessage = postMessage;
        for (const post of waiting) post();
      },
    });
  });
}

/** @param {Page} page */
async function goOn(page) {
  await page.evaluate(() => /** @type {any} */ (globalThis).goOn());
}

const sentences = (/** @type {Page} */ page) => page.locator('.list .summary').allTextContents();
const button = (/** @type {Page} */ page, /** @type {string} */ name) =>
  page.getByRole('button', { name, exact: true });

for (const where of PLACES) {
  test(`${where}: a paste into the sample replaces it, and Undo brings the last body back`, async () => {
    await withInspector(
      where,
      async (page) => {
        const box = page.locator('#body');
        const sample = await box.inputValue();
        await box.click();
        await paste(page, DEPOSIT);
        assert.equal(await box.inputValue(), DEPOSIT);
        await says(page, ARRIVED);
        await page.keyboard.press('Control+z');
        assert.equal(await box.inputValue(), sample);
        await button(page, 'Undo').click();
        assert.equal(await box.inputValue(), DEPOSIT);

        // With all selected.
        await box.press('Control+a');
        await paste(page, WITHDRAWAL);
        assert.equal(await box.inputValue(), WITHDRAWAL);
        await says(page, SENT);

        // Support pastes one line after the other: glued, they would show the first customer.
        await paste(page, LINE);
        await paste(page, WITHDRAWAL);
        assert.equal(await box.inputValue(), WITHDRAWAL);
        await says(page, SENT);

        // Into a text that somebody has edited, a paste is a paste, which the browser can undo.
        await box.press('Control+Home');
        await page.keyboard.type(' ');
        await paste(page, '  ');
        assert.equal(await box.inputValue(), `   ${WITHDRAWAL}`);
        await box.press('Control+z');
        assert.equal(await box.inputValue(), ` ${WITHDRAWAL}`);

        await button(page, 'Clear').click();
        assert.equal(await box.inputValue(), '');
        assert.equal(await page.locator('[data-test=verdict]').count(), 0);
        await button(page, 'Undo').click();
        await says(page, SENT);
        await button(page, 'A deposit').click();
        assert.equal(await box.inputValue(), sample);
      },
      CLIPBOARD,
    );
  });

  test(`${where}: a paste anywhere on the page goes to the box`, async () => {
    await withInspector(
      where,
      async (page) => {
        await paste(page, DEPOSIT);
        assert.equal(await page.locator('#body').inputValue(), DEPOSIT);
        await page.locator('h1').click();
        await paste(page, WITHDRAWAL);
        await says(page, SENT);
        await button(page, 'Clear').focus();
        await paste(page, DEPOSIT);
        await says(page, ARRIVED);
        // Other fields take what is pasted into them.
        await button(page, 'Compare').click();
        await page.locator('#second').click();
        await paste(page, WITHDRAWAL);
        assert.equal(await page.locator('#second').inputValue(), WITHDRAWAL);
        assert.equal(await page.locator('#body').inputValue(), DEPOSIT);
      },
      CLIPBOARD,
    );
  });

  test(`${where}: a body is taken out of a line of a log and out of a string, and the page says so`, async () => {
    await withInspector(where, async (page) => {
      const box = page.locator('#body');
      const words = page.locator('[data-test=verdict] .words');
      const escaped = JSON.stringify({ level: 'info', body: LINE });
      await box.fill(`support wrote:\n10:00:02 INFO callback body=${LINE} status=200`);
      await says(page, ARRIVED);
      assert.match(
        (await words.textContent()) ?? '',
        /^Taken out of the text around it, line 2: V/,
      );
      await box.fill(escaped);
      await says(page, ARRIVED);
      assert.match(
        (await words.textContent()) ?? '',
        /^Taken out of a string with escapes, line 1: Valid/,
      );
      const name = page.locator('[data-field=clientPaymentId] .value');
      assert.equal(await name.textContent(), 'order-77');
      // What is copied is the body, without the text around it.
      const copied = await page.locator('.copies pre').first().textContent();
      assert(copied?.includes(`const body = ${JSON.stringify(LINE)};`));
      await box.fill(DEPOSIT);
      assert.equal(await words.textContent(), 'Valid, deposit.received');
    });
  });

  test(`${where}: a body is read as mail programs, nginx and CSV change it`, async () => {
    const texts = {
      [DEPOSIT.replace(/^/gm, '> ')]: /^Taken out of the text around it, line 1: Valid/,
      [DEPOSIT.replaceAll(': ', ':\u00a0')]: /^Read without the no-break spaces of a mail program/,
      [`"POST / HTTP/1.1" 200 "${NGINX}"`]: /^Taken out of a string with escapes, line 1: Valid/,
      [`at,body\n7,"${LINE.replaceAll('"', '""')}"\n`]: /^Taken out of a string .*, line 2: Valid/,
    };
    await withInspector(where, async (page) => {
      for (const [text, how] of Object.entries(texts)) {
        await page.locator('#body').fill(text);
        await says(page, ARRIVED);
        const words = await page.locator('[data-test=verdict] .words').textContent();
        assert.match(words ?? '', how);
      }
      // Which quotes were in the original is not known.
      await page.locator('#body').fill(LINE.replaceAll('"', '“'));
      await says(page, /is text with the quotes “ ”, as a mail program makes them\. Ask for the/);
    });
  });

  test(`${where}: what is shown of a sample says so, and it starts with a good one`, async () => {
    await withInspector(
      where,
      async (page) => {
        const verdict = page.locator('[data-test=verdict]');
        assert.match((await verdict.textContent()) ?? '', /^Sample:✓ Order order-10042: /);
        // Of an empty clipboard, a browser pastes nothing, but says that there was input.
        await page.locator('#body').click();
        await paste(page, '');
        assert.match((await verdict.textContent()) ?? '', /^Sample:✓ Order order-10042: /);
        // Also after an edit that somebody takes back.
        await page.locator('#body').press('Control+Home');
        await page.keyboard.type(' ');
        assert.match((await verdict.textContent()) ?? '', /^✓ /);
        await page.keyboard.press('Backspace');
        assert.match((await verdict.textContent()) ?? '', /^Sample:✓ Order order-10042: /);
        await page.locator('#body').fill(DEPOSIT);
        await says(page, ARRIVED);
        assert.match((await verdict.textContent()) ?? '', /^✓ /);
        await button(page, 'A faulty body').click();
        await says(page, /refused for 4 faults/);
        assert.match((await verdict.textContent()) ?? '', /^Sample:✗ /);
      },
      CLIPBOARD,
    );
  });

  test(`${where}: on a laptop, a pasted body moves nothing, even if its answer is below the window`, async () => {
    await withInspector(
      where,
      async (page) => {
        await paste(page, DEPOSIT);
        await says(page, ARRIVED);
        // The second one is drawn after what the first one has caused.
        await paste(page, WITHDRAWAL);
        await says(page, SENT);
        const verdict = await page.locator('[data-test=verdict]').boundingBox();
        assert(verdict && verdict.y > 400);
        assert.equal(await page.evaluate(() => scrollY), 0);
      },
      { ...CLIPBOARD, viewport: { width: 1280, height: 400 } },
    );
  });

  test(`${where}: Control+Z brings the last body back with Caps Lock, and from anywhere on the page`, async () => {
    await withInspector(
      where,
      async (page) => {
        await paste(page, DEPOSIT);
        await says(page, ARRIVED);
        assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'BODY');
        await page.keyboard.press('Control+z');
        await says(page, SAMPLE);
        await page.locator('#body').focus();
        // What a browser reports while Caps Lock is on.
        await page.evaluate(() =>
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Z', ctrlKey: true, bubbles: true }),
          ),
        );
        await says(page, ARRIVED);
      },
      CLIPBOARD,
    );
  });

  test(`${where}: the address bar keeps no body that the page no longer shows`, async () => {
    await withInspector(
      where,
      async (page) => {
        const link = async () => {
          await button(page, 'Make a link').click();
          await page.waitForURL(/#1\./);
          await page.locator('.notice', { hasText: 'Link copied' }).waitFor();
        };
        await paste(page, DEPOSIT);
        await link();
        await paste(page, WITHDRAWAL);
        await says(page, SENT);
        await page.waitForFunction(() => location.hash === '');
        await link();
        await button(page, 'Clear').click();
        await page.waitForFunction(() => location.hash === '');
        await button(page, 'Undo').click();
        await link();
        await page.locator('#body').press('End');
        await page.keyboard.type(' ');
        await page.waitForFunction(() => location.hash === '');
        await page.locator('#body').fill(`${LINE}\n${lineOf(7)}`);
        await link();
        await page.locator('.list input').nth(1).check();
        await page.waitForFunction(() => location.hash === '');
      },
      CLIPBOARD,
    );
  });

  test(`${where}: Clear forgets what the endpoint receives`, async () => {
    await withInspector(where, async (page) => {
      await page.getByRole('radio', { name: 'withdrawals' }).check();
      await page.locator('#body').fill(WITHDRAWAL);
      await says(page, SENT);
      await button(page, 'Clear').click();
      assert(await page.getByRole('radio', { name: 'both' }).isChecked());
      await page.locator('#body').fill(DEPOSIT);
      await says(page, ARRIVED);
    });
  });

  test(`${where}: only what went well has a green mark, in the verdict and in the list`, async () => {
    const as = (/** @type {string} */ body, /** @type {object} */ fields) =>
      JSON.stringify({ ...JSON.parse(body), ...fields });
    const bodies = [
      [as(DEPOSIT, {}), '✓'],
      [as(DEPOSIT, { actualDepositAmount: 0.01522999 }), '!'],
      [as(DEPOSIT, { actualDisplayAmount: 950.24 }), '!'],
      [as(DEPOSIT, { expectedDepositAmount: '0.015230' }), '✓'],
      [as(DEPOSIT, { actualDepositAmount: 0, expectedDepositAmount: '0.0' }), '!'],
      [LINE.replace('{', '{"actualDepositAmount":1,'), '!'],
      [as(DEPOSIT, { paymentReceivedAt: 1790003600 }), '✓'],
      [as(DEPOSIT, { paymentReceivedAt: 1790003600.5 }), '!'],
      [as(DEPOSIT, { paymentReceivedAt: 1790003601, expirationTime: null }), '✓'],
      [as(WITHDRAWAL, {}), '✓'],
      [as(WITHDRAWAL, { status: 'FAILED' }), '!'],
      [as(WITHDRAWAL, { status: 'BLOCKED' }), '!'],
      [as(WITHDRAWAL, { actualWithdrawAmount: null }), '!'],
      [as(WITHDRAWAL, { actualWithdrawAmount: '0.00' }), '!'],
      [as(WITHDRAWAL, { status: 'NEW' }), '✗'],
    ];
    await withInspector(where, async (page) => {
      const colors = new Map();
      for (const [body = '', mark = ''] of bodies) {
        await page.locator('#body').fill(body);
        const summary = page.locator('[data-test=verdict] .summary');
        assert.equal((await summary.textContent())?.slice(0, 1), mark, body);
        const color = await summary.evaluate((element) => getComputedStyle(element).color);
        assert.equal(colors.get(mark) ?? color, color, body);
        colors.set(mark, color);
      }
      assert.equal(new Set(colors.values()).size, 3);
      // Each is an separate event, because two of one event would contradict each other.
      const events = bodies.map(([body = ''], index) =>
        body.replace(/(?<="(?:deposit|withdrawal)Id":".{34})../, String(index).padStart(2, '0')),
      );
      await page.locator('#body').fill(events.join('\n'));
      await counts(page, /valid; 1 refused$/);
      const marks = await page.locator('.list .mark').allTextContents();
      assert.deepEqual(
        marks.map((mark) => mark.trim()),
        bodies.map(([, mark]) => mark),
      );
    });
  });

  test(`${where}: a deposit after its link expired says how late it is, in the times as well`, async () => {
    await withInspector(where, async (page) => {
      const times = page.locator('.times li');
      await page.locator('#body').fill(DEPOSIT);
      await says(page, ARRIVED);
      assert.match((await times.last().textContent()) ?? '', /^link expires .* later$/);
      const late = { ...JSON.parse(DEPOSIT), paymentReceivedAt: 1790008640 };
      await page.locator('#body').fill(JSON.stringify(late));
      await says(page, /0\.01523 BTC arrived 84 min after the link expired, worth 950\.25 EUR/);
      assert.match((await times.last().textContent()) ?? '', /UTC84 min after the link expired$/);
    });
  });

  test(`${where}: text without a body is not refused: the page says what it looks like`, async () => {
    const none = 'No callback body was found in this text.';
    const texts = {
      'The customer says he paid.': 'It looks like plain text.',
      '10:00 INFO started\n10:01 INFO {"level":"info"} done': 'It looks like 2 lines of a log.',
      '[2026-03-01 10:00] INFO started': 'It looks like plain text.',
      '{"level":"info"}\n{"level":"warn"}': 'It looks like 2 lines of a log.',
      '<!doctype html><html><h1>502 Bad Gateway</h1></html>': 'It looks like an HTML page.',
      '0b0f3c1e-6d1b-4d7a-9f0e-2f1f6c1d5a11': 'It looks like a UUID alone.',
      eyewitnessaccountsaremany: 'It looks like plain text.',
      [Buffer.from(LINE).toString('base64')]: 'It looks like base64 text. Decode it first.',
      [`status=1&body=${encodeURIComponent(LINE)}`]:
        'It looks like form-encoded text. The service posts JSON.',
      [`curl -d ^"${LINE.replaceAll('"', '^\\^"')}^"`]:
        'It looks like a command of Windows, with ^ before quotes. Ask for the body alone.',
      [`He wrote ${LINE.replaceAll('"', '”')}`]:
        'It looks like text with the quotes “ ”, as a mail program makes them. Ask for the original.',
    };
    await withInspector(where, async (page) => {
      for (const [text, likeness] of Object.entries(texts)) {
        await page.locator('#body').fill(text);
        const verdict = page.locator('.verdict');
        assert.equal((await verdict.textContent())?.trim(), `${none} ${likeness}`);
        assert.equal(await page.locator('.verdict.refused').count(), 0);
        assert(await button(page, 'Make a link').isDisabled());
      }
      // What was meant to be a body is one, and refused.
      for (const text of ['{', '{}', '[', '[{"a": 1}]', '"text"', '42', DEPOSIT.slice(0, 90)]) {
        await page.locator('#body').fill(text);
        await says(page, /should answer 400/);
      }
      const cuts = { [DEPOSIT]: 'the text around it', [NGINX]: 'a string with escapes' };
      for (const [text, around] of Object.entries(cuts)) {
        await page.locator('#body').fill(text.slice(0, 90).replace(/^/gm, '> '));
        await says(page, /incomplete JSON of \d\d characters\..* answer 400/);
        const words = await page.locator('[data-test=verdict] .words').textContent();
        assert.match(words ?? '', new RegExp(`^Taken out of ${around}, line 1: Refused`));
      }
    });
  });

  test(`${where}: an empty file says that it is empty`, async () => {
    await withInspector(where, async (page) => {
      await drop(page, 'nothing.json', '');
      await page
        .locator('.notice', { hasText: 'nothing.json is empty: it has 0 bytes.' })
        .waitFor();
      assert.equal(await page.locator('[data-test=verdict]').count(), 0);
    });
  });

  test(`${where}: ten thousand pasted lines are counted as check counts them, listed and filtered`, async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => lineOf(index));
    lines[4999] = LINE.replace('CONFIRMED', 'NEW');
    lines[6999] = '{"depositId": "0b0f';
    lines[7999] = '';
    lines[8999] = LINE.replace('"FIXED"', '"OTHER"');
    await withInspector(
      where,
      async (page) => {
        await paste(page, `${lines.join('\n')}\n`);
        await counts(page, /^9,996 valid; 1 valid, with warnings; 2 refused; 1 blank$/);
        assert.equal(await page.locator('#bodies').textContent(), '10,000 lines');
        // So much text would make the box slow.
        assert.equal(await page.locator('#body').inputValue(), '');
        assert.equal((await sentences(page)).length, 50);
        await says(page, /Order order-0:/);

        const filter = page.getByRole('searchbox');
        await filter.fill('REFUSED');
        await counts(page, /2 lines with this text$/);
        const [fault, broken] = await sentences(page);
        assert.match(fault ?? '', /status should be "CONFIRMED", but is "NEW"/);
        assert.match(broken ?? '', /incomplete JSON/);
        // The text of the body is searched, too.
        await filter.fill('"OTHER"');
        await counts(page, /1 line with this text$/);
        await says(page, /rateType/);
        await filter.fill('order-99');
        await counts(page, /111 lines with this text$/);
        await button(page, 'Show more: 61 lines left').click();
        assert.equal((await sentences(page)).length, 111);

        await filter.fill('nobody');
        await counts(page, /0 lines with this text$/);
        const verdict = await page.locator('.verdict').textContent();
        assert.equal(verdict?.trim(), 'No line matches the filter.');
        await filter.fill('order-99');
        await counts(page, /111 lines with this text$/);

        // By the keyboard.
        await page.locator('.list input').first().focus();
        await page.keyboard.press('ArrowDown');
        await says(page, /Order order-990:/);
        const words = await page.locator('[data-test=verdict] .words').textContent();
        assert.equal(words, 'Line 991: Valid, deposit.received');
        await button(page, 'Undo').click();
        await says(page, SAMPLE);
        assert.equal(await page.locator('[data-test=bodies]').count(), 0);
      },
      CLIPBOARD,
    );
  });

  test(`${where}: a key in the filter prepares no text again, and draws few lines`, async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => lineOf(index));
    await withInspector(where, async (page) => {
      await page.locator('#body').fill(lines.join('\n'));
      await counts(page, /^1,000 valid$/);
      // How long a key takes depends on the machine; what it does doesn't.
      await page.evaluate(() => {
        const calls = { count: 0 };
        const { toLowerCase } = String.prototype;
        const { decode } = TextDecoder.prototype;
        String.prototype.toLowerCase = function () {
          calls.count += 1;
          return toLowerCase.call(this);
        };
        TextDecoder.prototype.decode = function (/** @type {any} */ input) {
          calls.count += 1;
          return decode.call(this, input);
        };
        Object.assign(globalThis, { calls });
      });
      await page.getByRole('searchbox').pressSequentially('order-9');
      await counts(page, /111 lines with this text$/);
      const { count } = await page.evaluate(() => /** @type {any} */ (globalThis).calls);
      assert(count < lines.length, `${count} texts`);
      assert.equal((await sentences(page)).length, 50);
    });
  });

  test(`${where}: of the hits of a filter, the one that is picked is shown below`, async () => {
    await withInspector(where, async (page) => {
      const lines = [1, 20, 3, 21, 22, 23].map(lineOf);
      await page.locator('#body').fill(lines.join('\n'));
      await counts(page, /^6 valid$/);
      const words = page.locator('[data-test=verdict] .words');
      const hits = page.locator('.list input');
      await page.getByRole('searchbox').fill('order-2');
      await counts(page, /4 lines with this text$/);
      // By the mouse.
      await page.locator('.list label').nth(2).click();
      await says(page, /order-22:/);
      assert.equal(await words.textContent(), 'Line 5: Valid, deposit.received');
      assert(await hits.nth(2).isChecked());
      // By the keyboard, after another filter with the same hits.
      await page.getByRole('searchbox').pressSequentially(' ');
      await says(page, /order-20:/);
      await hits.first().focus();
      await page.keyboard.press('ArrowDown');
      await says(page, /order-21:/);
      await page.keyboard.press('ArrowDown');
      await says(page, /order-22:/);
      assert.equal(await words.textContent(), 'Line 5: Valid, deposit.received');
      assert(await hits.nth(2).isChecked());
      // Without a filter again.
      await page.getByRole('searchbox').fill('');
      await counts(page, /^6 valid$/);
      await page.locator('.list label').nth(2).click();
      await says(page, /order-3:/);
    });
  });

  test(`${where}: the filter looks at each of several bodies in one line`, async () => {
    await withInspector(where, async (page) => {
      await page.locator('#body').fill(`[${lineOf(1)},${lineOf(2)}]`);
      await counts(page, /^2 valid$/);
      await page.getByRole('searchbox').fill('order-2');
      await counts(page, /1 line with this text$/);
      await says(page, /order-2:/);
    });
  });

  test(`${where}: a list says which bodies report one event, and whether they agree`, async () => {
    const encoded = lineOf(1).replace('"actualDepositAmount":0.01523', '$&0');
    const contradicting = lineOf(1).replace('"actualDepositAmount":0.01523', '$&1');
    assert(encoded !== lineOf(1) && contradicting !== lineOf(1));
    await withInspector(where, async (page) => {
      const lines = [lineOf(1), lineOf(2), encoded, contradicting, '{}', '{}', lineOf(2)];
      await page.locator('#body').fill(lines.join('\n'));
      await counts(page, /^2 valid; 3 contradict each other; 2 refused$/);
      const listed = page.locator('.list label');
      const said = await listed.evaluateAll((all) =>
        all.map((line) => line.querySelector('.relations')?.textContent ?? ''),
      );
      assert.deepEqual(said, [
        'contradicts line 4',
        '',
        'same event as line 1contradicts line 4',
        'contradicts line 1',
        ...['', '', 'same event as line 2'],
      ]);
      const marks = await page.locator('.list .mark').allTextContents();
      assert.deepEqual(marks, ['!', '✓', '!', '!', '✗', '✗', '✓']);
      // So has the first one where it is shown.
      const verdict = page.locator('[data-test=verdict].review');
      assert.match((await verdict.textContent()) ?? '', /^! Order order-1: /);
      // Support may filter by it, and reads it at the body.
      await page.getByRole('searchbox').fill('contradicts line 1');
      await counts(page, /1 line with this text$/);
      const words = await page.locator('[data-test=verdict] .words').textContent();
      assert.equal(words, 'Line 4, contradicts line 1: Valid, deposit.received');
      await page.getByRole('searchbox').fill('');
      await page.locator('#body').fill(`[${lineOf(1)},${lineOf(1)}]`);
      await page.locator('.list .repeats', { hasText: 'another body of this line' }).waitFor();
    });
  });

  test(`${where}: a list relates the outcomes of a withdrawal, and adds the parts of a payment`, async () => {
    const { paymentId } = JSON.parse(LINE);
    const part = (/** @type {number} */ order) =>
      JSON.stringify({ ...JSON.parse(lineOf(order)), paymentId, expectedDepositAmount: 0.04569 });
    const failed = WITHDRAWAL.replaceAll('\n', '').replace('COMPLETED', 'FAILED');
    await withInspector(where, async (page) => {
      const related = page.locator('.list .relations span');
      const marks = page.locator('.list .mark');
      const words = page.locator('[data-test=verdict] .words');
      const lines = [part(1), failed, part(2), WITHDRAWAL.replaceAll('\n', '')];
      await page.locator('#body').fill(lines.join('\n'));
      await counts(page, /^4 valid; 1 withdrawal with several statuses$/);
      assert.deepEqual(await related.allTextContents(), [
        'with line 3: together 0.01523 BTC less than expected',
        'same withdrawal as line 4, which reports COMPLETED',
        'with line 1: together 0.01523 BTC less than expected',
        'same withdrawal as line 2, which reports FAILED',
      ]);
      // Both are for review, because the service must confirm which one counts.
      assert.deepEqual(await marks.allTextContents(), ['!', '!', '!', '!']);
      await page.locator('.list label').nth(3).click();
      await page
        .locator('.verdict.review', { hasText: /^! Withdrawal payout-7731 comp/ })
        .waitFor();
      assert.equal(
        await words.textContent(),
        'Line 4, same withdrawal as line 2, which reports FAILED: Valid, withdrawal.broadcast',
      );
      // The sum is that of all parts, and too much is for review.
      const paid = (/** @type {number} */ order) =>
        part(order).replace('"expectedDepositAmount":0.04569', '"expectedDepositAmount":0.01523');
      await page.locator('#body').fill([paid(1), paid(2), paid(3)].join('\n'));
      await counts(page, /^3 valid$/);
      const more = 'together 0.03046 BTC more than expected';
      const places = ['line 2 and line 3', 'line 1 and line 3', 'line 1 and line 2'];
      const sums = places.map((place) => `with ${place}: ${more}`);
      assert.deepEqual(await page.locator('.list .exceeds').allTextContents(), sums);
      assert.deepEqual(await marks.allTextContents(), ['!', '!', '!']);
      const verdict = page.locator('.verdict.review', { hasText: /^! Order order-1: .* exactly/ });
      await verdict.waitFor();
      assert.equal(await words.textContent(), `Line 1, ${sums[0]}: Valid, deposit.received`);
      // What is exactly the expected amount is not.
      await page.locator('#body').fill([part(1), part(2), part(3)].join('\n'));
      await page.locator('.list .related', { hasText: 'together exactly what' }).first().waitFor();
      assert.equal(await page.locator('.list .exceeds').count(), 0);
    });
  });

  test(`${where}: a filtered line that gets another sum is no longer a hit of the first one`, async () => {
    const { paymentId } = JSON.parse(LINE);
    const part = (/** @type {number} */ order) =>
      JSON.stringify({ ...JSON.parse(lineOf(order)), paymentId });
    const lines = Array.from({ length: 3000 }, (_, index) => lineOf(index + 10));
    lines[0] = part(1);
    lines[1] = part(2);
    lines[2999] = part(3);
    await withInspector(where, async (page) => {
      await hold(page);
      await drop(page, 'archive.ndjson', lines.join('\n'));
      await page.locator('[data-test=bodies][aria-busy=true]').waitFor();
      await page.getByRole('searchbox').fill('0.01523 BTC more');
      await goOn(page);
      await counts(page, /^3,000 valid\. 0 lines with this text$/);
    });
  });

  test(`${where}: a line that was filtered out is a hit once a later line contradicts it`, async () => {
    // Enough that the filter is typed while they are read.
    const lines = Array.from({ length: 3000 }, (_, index) => lineOf(index));
    lines[2] = lineOf(0);
    lines[2999] = lineOf(0).replace('"actualDepositAmount":0.01523', '$&1');
    await withInspector(where, async (page) => {
      await hold(page);
      await drop(page, 'archive.ndjson', lines.join('\n'));
      await page.locator('[data-test=bodies][aria-busy=true]').waitFor();
      await page.getByRole('searchbox').fill('contradicts');
      await goOn(page);
      await counts(page, /^2,997 valid; 3 contradict each other\. 3 lines with this text$/);
      assert.deepEqual(await page.locator('.list .line').allTextContents(), ['1', '3', '3000']);
    });
  });

  test(`${where}: a key in the filter draws no other body while the list is read`, async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => lineOf(index));
    await withInspector(where, async (page) => {
      await hold(page);
      await drop(page, 'archive.ndjson', lines.join('\n'));
      await page.locator('[data-test=bodies][aria-busy=true]').waitFor();
      await says(page, /order-0:/);
      // To draw a body takes longer than a key may.
      await page.evaluate(() => {
        const drawn = { count: 0 };
        const parts = document.querySelectorAll('.answer, .results');
        const observer = new MutationObserver((records) => {
          drawn.count += records.length;
        });
        for (const part of parts) observer.observe(part, { childList: true, subtree: true });
        Object.assign(globalThis, { drawn });
      });
      await page.getByRole('searchbox').pressSequentially('order-2999');
      const { count } = await page.evaluate(() => /** @type {any} */ (globalThis).drawn);
      assert.equal(count, 0);
      await goOn(page);
      await counts(page, /^3,000 valid\. 1 line with this text$/);
      await says(page, /order-2999:/);
    });
  });

  test(`${where}: deliveries that agree on the money don't contradict each other`, async () => {
    const body = JSON.parse(lineOf(1));
    const others = [
      { attempt: 1 },
      { attempt: 2 },
      { attempt: 1, paymentReceivedAt: body.paymentReceivedAt + 0.5 },
      {
        attempt: 3,
        paymentReceivedAt: body.paymentReceivedAt + 0.5,
        network: 'OTHER',
        'a\u202eb': 1,
      },
    ].map((fields) => JSON.stringify({ ...body, ...fields }));
    await withInspector(where, async (page) => {
      await page.locator('#body').fill(others.join('\n'));
      await counts(page, /^4 valid$/);
      assert.deepEqual(await page.locator('.list .differs').allTextContents(), [
        'differs from line 1 in attempt',
        'differs from line 1 in paymentReceivedAt',
        'differs from line 1 in network, paymentReceivedAt and 2 more',
      ]);
      await button(page, 'Compare').click();
      await page.locator('#second').fill(others[1] ?? '');
      const relation = page.locator('[data-test=relation].review');
      assert.match((await relation.textContent()) ?? '', /the two bodies differ in 1 field\.$/);
    });
  });

  test(`${where}: a notice stays while bodies of a list are looked at`, async () => {
    await withInspector(where, async (page) => {
      await page.locator('#body').fill(`${lineOf(1)}\n${lineOf(2)}\n${lineOf(3)}`);
      await counts(page, /^3 valid$/);
      await drop(page, 'cut.gz', gzipSync(LINE).subarray(0, 200));
      const notice = page.locator('.notice', { hasText: 'cut.gz is damaged' });
      await notice.waitFor();
      await page.locator('.list input').nth(1).check();
      await says(page, /order-2:/);
      assert(await notice.isVisible());
    });
  });

  test(`${where}: bodies of several lines in CSV are read as they are in one line`, async () => {
    await withInspector(where, async (page) => {
      const rows = [DEPOSIT, WITHDRAWAL].map((body) => `7,"${body.replaceAll('"', '""')}",200\n`);
      await page.locator('#body').fill(`id,body,status\n${rows.join('')}`);
      await counts(page, /^2 valid$/);
      const shown = await page.locator('.list .line').allTextContents();
      assert.deepEqual(shown, ['2', `${DEPOSIT.split('\n').length + 2}`]);
    });
  });

  test(`${where}: of a log, only the lines with a body are listed`, async () => {
    await withInspector(where, async (page) => {
      const log = ['started', '{"level":"info"}', `a ${lineOf(1)}`, 'b', `c ${lineOf(2)}`, ''];
      await page.locator('#body').fill(log.join('\n'));
      await counts(page, /^2 valid; 3 without a body$/);
      assert.deepEqual(await page.locator('.list .line').allTextContents(), ['3', '5']);
      // The text around the body is searched.
      await page.getByRole('searchbox').fill('c {');
      await says(page, /order-2:/);
    });
  });

  test(`${where}: a broken body in a line of a log is refused, alone and in a list`, async () => {
    await withInspector(where, async (page) => {
      const broken = `16:34 ERROR 400 ${LINE.replace(':0.01523', ':0,02')}`;
      const place = page.locator('[data-test=place]');
      for (const text of [broken, `16:33 ${lineOf(1)}\n${broken}\n16:35 ${lineOf(2)}`]) {
        await page.locator('#body').fill(text);
        if (text !== broken) {
          await counts(page, /^2 valid; 1 refused$/);
          assert.deepEqual(await page.locator('.list .line').allTextContents(), ['1', '2', '3']);
          await page.locator('.list label').nth(1).click();
        }
        await says(
          page,
          /is refused: it should be a JSON object, but is \d+ characters that are not/,
        );
        assert.match(
          (await place.textContent()) ?? '',
          /line 1, column \d+:…ualDepositAmount":0,02,/,
        );
      }
      // A broken line among bodies alone makes no log of them.
      await page.locator('#body').fill(`${lineOf(1)}\n${lineOf(2)}\n{"depositId": "0b\nx`);
      await counts(page, /^2 valid; 2 refused$/);
    });
  });

  test(`${where}: a dropped archive is read, zipped or not, and bodies of several lines, too`, async () => {
    await withInspector(where, async (page) => {
      // Too much for the box, and one line that is not UTF-8.
      const text = Buffer.from(
        Array.from({ length: 300 }, (_, index) => `${lineOf(index)}\n`).join(''),
      );
      text[text.indexOf('order-7"')] = 0xff;
      await drop(page, 'archive.ndjson.gz', gzipSync(text));
      await counts(page, /^299 valid; 1 refused$/);
      await drop(page, 'archive.ndjson', text);
      await counts(page, /^299 valid; 1 refused$/);
      await drop(page, 'cut.gz', gzipSync(text).subarray(0, 2000));
      await page.locator('.notice', { hasText: 'cut.gz is damaged' }).waitFor();
      const list = Array.from({ length: 300 }, (_, index) => JSON.parse(lineOf(index)));
      await drop(page, 'list.json', JSON.stringify(list, null, 2));
      await counts(page, /^300 valid$/);
    });
  });

  test(`${where}: a file of 60 MB is not read: the page says so, and names the command`, async () => {
    const path = join(folder, `${where}.ndjson`);
    writeFileSync(path, `${LINE}\n`);
    truncateSync(path, 60_000_000);
    await withInspector(where, async (page) => {
      await page.locator('input[type=file]').setInputFiles(path);
      const notice = page.locator('.notice', { hasText: `${where}.ndjson has 60 MB` });
      await notice.waitFor();
      assert.match(
        (await notice.textContent()) ?? '',
        /at most 50 MB.*payment-notifications check/,
      );
      await says(page, SAMPLE);
      // Nor one that grows to more than that.
      await drop(page, 'bomb.gz', gzipSync(Buffer.alloc(51_000_000, '\n')));
      await page.locator('.notice', { hasText: 'bomb.gz is larger once it is unzipped' }).waitFor();
    });
  });

  test(`${where}: no invisible character of a body gets onto the page, from any field`, async () => {
    const invisible = '\u0000\u001b[31m\u202e\u200b\u2066\u3164\u115f\u034f\ufeff\u2028';
    await withInspector(where, async (page) => {
      for (const body of [DEPOSIT, WITHDRAWAL]) {
        const fields = JSON.parse(body);
        const bodies = Object.keys(fields).map((name) => ({
          ...fields,
          [name]: `${fields[name]}${invisible}`,
          [`${name}${invisible}`]: [invisible],
        }));
        bodies.push({ ...fields, txAddressOwner: { name: invisible, [invisible]: invisible } });
        // One after the other, then as an archive.
        const lines = bodies.map((one) => JSON.stringify(one));
        for (const text of [...lines, lines.join('\n')]) {
          await page.locator('#body').fill(text);
          const shown = await page.evaluate(() =>
            [...document.querySelectorAll('[data-test], .results')]
              .map(({ textContent }) => textContent)
              .join(),
          );
          assert(shown.includes('\\u202e') && shown.includes('\\u3164'), text);
          assert.doesNotMatch(shown, /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{DI}]/u, text);
        }
      }
    });
  });

  test(`${where}: a field's name says what it means, on hover, focus and tap`, async () => {
    await withInspector(
      where,
      async (page) => {
        const row = page.locator('[data-field=actualDepositAmount]');
        const meaning = row.getByRole('tooltip');
        const name = row.getByRole('button', { name: 'actualDepositAmount' });
        assert.equal(await meaning.isVisible(), false);
        await name.hover();
        await meaning.waitFor();
        assert.match((await meaning.textContent()) ?? '', /deposited.*required: amount/s);
        // The pointer may go to the text, and Escape hides it.
        await meaning.hover();
        assert(await meaning.isVisible());
        await page.keyboard.press('Escape');
        await meaning.waitFor({ state: 'hidden' });
        await page.mouse.move(0, 0);
        await name.focus();
        await meaning.waitFor();
        await name.blur();
        await meaning.waitFor({ state: 'hidden' });
        await name.tap();
        await meaning.waitFor();
        assert.equal(await page.getByRole('tooltip').filter({ visible: true }).count(), 1);
        // For a reader that can't see it.
        const id = await name.getAttribute('aria-describedby');
        assert.equal(await meaning.getAttribute('id'), id);
      },
      { hasTouch: true },
    );
  });

  test(`${where}: an amount shows its value, whatever its encoding`, async () => {
    await withInspector(where, async (page) => {
      const value = page.locator('[data-field=settlementAmount] .value');
      for (const raw of ['950.25', '"950.25"', '9.5025E+2', '"9.5025e2"']) {
        const body = DEPOSIT.replace(/(?<="settlementAmount": )[^,]*/, raw);
        await page.locator('#body').fill(body);
        assert.equal(await value.textContent(), '950.25', raw);
      }
    });
  });

  test(`${where}: the keyboard reaches everything, in the order of the page`, async () => {
    await withInspector(where, async (page) => {
      await button(page, 'A faulty body').click();
      await page.locator('#body').fill(`${LINE}\n${WITHDRAWAL.replaceAll('\n', '')}`);
      await counts(page, /^2 valid$/);
      await page.locator('#body').focus();
      /** @type {string[]} */
      const reached = [];
      for (let last = ''; last !== 'The policy'; reached.push(last)) {
        await page.keyboard.press('Tab');
        last = await page.evaluate(() => {
          const element = /** @type {HTMLElement} */ (document.activeElement);
          const label = element.closest('label') ?? element;
          if (getComputedStyle(element).outlineStyle === 'none' && !element.closest('.file')) {
            return `no outline: ${label.textContent}`;
          }
          return element.getAttribute('placeholder') ?? label.textContent?.trim() ?? '';
        });
        assert(reached.length < 200 && !last.startsWith('no outline'), last);
      }
      const places = [
        ...['Clear', 'Undo', 'Open a file', 'Compare', 'Make a link', 'A deposit', 'both'],
        ...['an order, an address, refused…', `1✓valid: ${SENTENCE}`, 'Copy idempotency key'],
        ...['actualDepositAmount', 'A test with the kit', 'The policy'],
      ].map((text) => reached.indexOf(text));
      assert(!places.includes(-1), reached.join('\n'));
      assert.deepEqual(
        places,
        places.toSorted((one, other) => one - other),
      );
    });
  });
}

// On the site with each change as well, because its header could cover the verdict.
for (const where of /** @type {const} */ (['disk', 'site'])) {
  test(`${where}: on a phone, a pasted body shows what it says, and a meaning covers no value`, async () => {
    await withInspector(
      where,
      async (page) => {
        assert.equal(await page.evaluate(() => scrollY), 0);
        const list = `${lineOf(1)}\n${lineOf(1)}`;
        for (const text of [DEPOSIT, '{', 'He says he paid.', list]) {
          await page.evaluate(() => scrollTo(0, 0));
          await paste(page, text);
          const first = text === list ? '.list label' : '.verdict:not(.good), .good .summary';
          await page.locator(first).first().waitFor();
          await page.waitForFunction((selector) => {
            const element = document.querySelector(selector);
            if (element === null) return false;
            const { left, top, bottom } = element.getBoundingClientRect();
            // Nothing covers it.
            const isOnTop = element.contains(document.elementFromPoint(left + 10, top + 1));
            return top >= 0 && bottom <= innerHeight && isOnTop;
          }, first);
        }
        // Whoever looks through the samples stays at their buttons.
        await page.evaluate(() => scrollTo(0, 0));
        await button(page, 'A faulty body').dispatchEvent('click');
        await says(page, /refused for 4 faults/);
        // The next one is drawn after what the last one has caused.
        await button(page, 'A deposit').dispatchEvent('click');
        await says(page, SAMPLE);
        assert.equal(await page.evaluate(() => scrollY), 0);
        // Whoever clears the box wants to paste into it.
        await page.evaluate(() => scrollTo(0, 0));
        await button(page, 'Clear').click();
        await page.locator('.verdict', { hasText: 'No body yet' }).waitFor();
        const box = await page.locator('#body').boundingBox();
        assert((box?.y ?? -1) >= 0);

        await paste(page, DEPOSIT);
        const row = page.locator('[data-field=actualDepositAmount]');
        await row.getByRole('button').click();
        const meaning = await row.getByRole('tooltip').boundingBox();
        for (const cell of await row.locator('td').all()) {
          const value = await cell.boundingBox();
          assert(meaning && value && value.y >= meaning.y + meaning.height);
        }
        // And it is below the name.
        const name = await row.getByRole('button').boundingBox();
        assert(meaning && name && meaning.y >= name.y + name.height);
      },
      { ...CLIPBOARD, viewport: { width: 390, height: 640 } },
    );
  });
}

test('axe finds nothing, and nothing is too wide, on a phone and on a desktop, light and dark', async () => {
  for (const width of [390, 1280]) {
    // Each night, in the other scheme as well.
    for (const colorScheme of isFull ? ['light', 'dark'] : [width < 500 ? 'light' : 'dark']) {
      const options = { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' };
      await withInspector(
        'disk',
        async (page) => {
          await page.evaluate(AXE);
          const examine = async (/** @type {string} */ what) => {
            const { faults, isTooWide } = await page.evaluate(async () => {
              const { axe } = /** @type {any} */ (globalThis);
              const { violations } = await axe.run({ resultTypes: ['violations'] });
              const { scrollWidth, clientWidth } = document.documentElement;
              const describe = (/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html}`;
              return { faults: violations.map(describe), isTooWide: scrollWidth > clientWidth };
            });
            assert.deepEqual(faults, [], `${what} at ${width} px, ${colorScheme}`);
            assert(!isTooWide, `${what} at ${width} px is too wide`);
          };
          await examine('the sample');
          await page.getByRole('button', { name: 'actualDepositAmount' }).focus();
          await examine('a meaning');
          await button(page, 'A faulty body').click();
          await examine('a faulty body');
          const bodies = [LINE, '{', LINE.replace('"FIXED"', '1'), `${'x'.repeat(500)}{`];
          await page.locator('#body').fill(bodies.join('\n'));
          await counts(page, /2 refused/);
          await button(page, 'Compare').click();
          await page.locator('#second').fill(WITHDRAWAL);
          await examine('a list and a comparison');
          await button(page, 'Clear').click();
          await examine('nothing');
        },
        /** @type {any} */ (options),
      );
    }
  }
});

test('the file is small, and its policy lets it ask nobody', async () => {
  const { size } = statSync(new URL(INSPECTOR));
  assert(size <= MAX_FILE, `${size} bytes`);
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.setHeader('access-control-allow-origin', '*').end();
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const { page, close } = await openPage(browser);
  await page.goto(INSPECTOR);
  const tried = await page.evaluate(async (address) => {
    /** @type {string[]} */
    const refused = [];
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      refused.push(effectiveDirective),
    );
    const image = new Image();
    const failed = new Promise((resolve) => image.addEventListener('error', resolve));
    image.src = `${address}image`;
    const [fetched] = await Promise.allSettled([fetch(`${address}fetch`), failed]);
    const script = document.createElement('script');
    script.textContent = 'globalThis.hacked = 1';
    document.head.append(script);
    await new Promise((resolve) => setTimeout(resolve));
    return { refused: refused.sort(), fetched: fetched.status, isHacked: 'hacked' in globalThis };
  }, `http://127.0.0.1:${port}/`);
  const refused = ['connect-src', 'img-src', 'script-src-elem'];
  assert.deepEqual(tried, { refused, fetched: 'rejected', isHacked: false });
  assert.equal(asked, 0);
  await close();
  server.close();
});
