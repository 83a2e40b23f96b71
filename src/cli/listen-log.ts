import { formatCount, plural } from '../inspect/display.js';
import { judgeBody } from '../inspect/judgement.js';
import type { Verdict } from '../inspect/verdict.js';
import { describeSystemError } from './errors.js';
import { displayName } from './files.js';
import { openFolder } from './save.js';
import { marked, type Terminal } from './terminal.js';

/** Prints one line for each webhook, saves its body first, and counts. */
interface ListenLog {
  /** Saves a body if there is a folder, then prints its line. Returns false if that fails. */
  webhook(body: Uint8Array): boolean;
  /** Prints a line about a webhook that was not read. */
  fail(failure: string, error: unknown): void;
  end(): void;
}

/** @param folder - Where bodies are saved; undefined to save none. */
export function createListenLog(terminal: Terminal, folder: string | undefined): ListenLog {
  const save = folder === undefined ? null : openFolder(folder);
  const counts = { webhooks: 0, refused: 0, failed: 0 };

  const print = (verdict: Verdict, time: Date, ...texts: readonly string[]): void =>
    terminal.print(marked(verdict, [time.toISOString(), ...texts].join('  '), terminal));
  const fail = (failure: string, error: unknown): void => {
    counts.webhooks += 1;
    counts.failed += 1;
    print('refused', new Date(), `${failure}: ${describeSystemError(error)}`);
  };
  return {
    fail,
    webhook(body) {
      const time = new Date();
      const { outcome, summary, type, idempotencyKey: key } = judgeBody(body).judgement;
      const kind = type === 'deposit.received' ? 'deposit' : 'withdrawal';
      const texts = key === null ? [summary] : [key, summary];
      try {
        if (save !== null) texts.push(save(time, key === null ? 'refused' : kind, body));
      } catch (error) {
        fail('not saved, answered with 500', error);
        return false;
      }
      counts.webhooks += 1;
      if (key === null) counts.refused += 1;
      print(outcome, time, ...texts);
      return true;
    },
    end() {
      const { webhooks, refused, failed } = counts;
      const saved = formatCount(webhooks - failed);
      const texts = [
        plural(webhooks, 'webhook'),
        `${formatCount(refused)} refused`,
        ...(failed === 0 ? [] : [`${formatCount(failed)} not read or not saved`]),
        ...(folder === undefined ? [] : [`${saved} saved in ${displayName(folder)}`]),
      ];
      terminal.print(`\n${texts.join(', ')}\n`);
    },
  };
}
