import type { NotificationError, NotificationIssue } from '../errors.js';
import { escapeUnprintable } from '../internal/quote.js';
import type { PaymentNotification } from '../notification.js';
import type { DeliveryContext } from '../receiver/index.js';
import { nameOf } from './input.js';
import { redactPath, truncate } from './redact.js';
import { openFolder } from './save.js';
import { format, MARKS, type Mark, paint, type Terminal, wrap } from './terminal.js';

/** How many requests that are no callbacks are shown in a minute. The others are only counted. */
const SHOWN_PER_MINUTE = 10;
/** Maximum length of a displayed path or currency, in characters. */
const MAX_SHOWN = 40;

/** Prints one line for each callback of `listen`, saves its body first, and counts. */
export interface CallbackLog {
  accept(notification: PaymentNotification, context: DeliveryContext): void;
  refuse(error: NotificationError, body: Uint8Array): void;
  /** Logs a callback that could not be read, or not saved. */
  fail(error: unknown, body: Uint8Array | null): void;
  /** Logs a request for another path: by someone who looks around, or with a wrong secret. */
  turnAway(method: string | undefined, path: string | undefined): void;
  /** Logs a request without a body: by a browser, or after a redirect that made a GET of a POST. */
  turnAwayMethod(method: string): void;
  /** Prints how many came, how many were refused, and where the bodies are. */
  end(): void;
}

/** @param folder - Where to save the bodies, if anywhere. */
export function createCallbackLog(terminal: Terminal, folder: string | undefined): CallbackLog {
  const { clock, columns } = terminal;
  const save = folder === undefined ? null : openFolder(folder);
  let [received, refused, failed, saved, turnedAway, wrongMethods] = [0, 0, 0, 0, 0, 0];

  const saveBody = (time: Date, kind: string, body: Uint8Array): string[] => {
    if (save === null || body.length === 0) return [];
    const path = save(time, kind, body);
    saved += 1;
    return [path];
  };
  const print = (mark: Mark, time: Date, ...texts: readonly string[]): void => {
    const [color, sign] = MARKS[mark];
    const iso = time.toISOString();
    // Without the date, a key fits next to the time in 80 columns.
    const shownTime = Number.isFinite(columns) ? `${iso.slice(11, 19)}Z` : iso;
    const text = [shownTime, ...texts.map(escapeUnprintable)].join('  ');
    const lines = wrap(text, columns - 2).join('\n  ');
    terminal.print(`${paint(terminal, color, sign)} ${lines}\n`);
  };

  let minuteEnds = 0;
  let shown = 0;
  const printTurnedAway = (...texts: readonly string[]): void => {
    const now = clock.now();
    if (now >= minuteEnds) {
      minuteEnds = now + 60_000;
      shown = 0;
    }
    shown += 1;
    if (shown > SHOWN_PER_MINUTE) return;
    const rest = shown === SHOWN_PER_MINUTE ? ['(for a minute, more are only counted)'] : [];
    print('elsewhere', new Date(now), ...texts, ...rest);
  };
  return {
    accept(notification, { key, body }) {
      const time = new Date(clock.now());
      const { type, warnings } = notification;
      const file = saveBody(time, type === 'deposit.received' ? 'deposit' : 'withdrawal', body);
      received += 1;
      const mark = warnings.length === 0 ? 'valid' : 'warnings';
      print(mark, time, key, outcomeOf(notification), ...summaryOf(warnings), ...file);
    },
    refuse({ issues }, body) {
      const time = new Date(clock.now());
      const file = saveBody(time, 'refused', body);
      received += 1;
      refused += 1;
      // The receiver doesn't read the rest, so the issue doesn't name the size of the whole body.
      const isTooLarge = issues[0].code === 'body_too_large';
      const texts = isTooLarge ? [`body_too_large: only its start was read`] : summaryOf(issues);
      print('refused', time, 'refused', ...texts, ...file);
    },
    fail(error, body) {
      received += 1;
      failed += 1;
      const failure = body === null ? 'not read' : 'not saved, answered with 500';
      print('refused', new Date(clock.now()), `${failure}: ${Object(error).message}`);
    },
    turnAway(method, path) {
      turnedAway += 1;
      printTurnedAway('404', `${method} ${truncate(redactPath(`${path}`), MAX_SHOWN)}`);
    },
    turnAwayMethod(method) {
      wrongMethods += 1;
      printTurnedAway(`${method} answered with 405: expected POST`);
    },
    end() {
      const texts = [
        `${format.count(received)} ${received === 1 ? 'callback' : 'callbacks'}`,
        `${format.count(refused)} refused`,
        ...(failed === 0 ? [] : [`${format.count(failed)} not read or not saved`]),
        ...(folder === undefined ? [] : [`${format.count(saved)} saved in ${nameOf(folder)}`]),
        ...(turnedAway === 0 ? [] : [`${format.count(turnedAway)} answered with 404`]),
        ...(wrongMethods === 0 ? [] : [`${format.count(wrongMethods)} answered with 405`]),
      ];
      terminal.print(`\n${wrap(texts.join(', '), columns).join('\n')}\n`);
    },
  };
}

/** The amount that was moved, or the status of a withdrawal that moved none. */
function outcomeOf(notification: PaymentNotification): string {
  if (notification.type === 'deposit.received') {
    const { actualDepositAmount, depositCurrency } = notification;
    return `${actualDepositAmount} ${truncate(depositCurrency, MAX_SHOWN)}`;
  }
  const { status, actualWithdrawAmount, withdrawCurrency } = notification;
  if (actualWithdrawAmount === null) return status;
  const amount = `${actualWithdrawAmount} ${truncate(withdrawCurrency, MAX_SHOWN)}`;
  return status === 'COMPLETED' ? amount : `${status} ${amount}`;
}

/** The first issue, and how many more there are. */
function summaryOf([first, ...others]: readonly NotificationIssue[]): string[] {
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [`${first.code}: ${first.message}${more}`];
}
