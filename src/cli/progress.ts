import { formatCount } from '../inspect/display.js';
import type { Terminal } from './terminal.js';

/** When progress is first shown, and how often after that, in milliseconds. */
const [DELAY, PAUSE] = [1000, 200];

/** Shows the progress of long work, in one line of a terminal. */
interface Progress {
  /** The same terminal, which clears the line before it prints anything else. */
  readonly terminal: Terminal;
  /** Counts a body. */
  add(isFailed: boolean): void;
  /** Clears the line. */
  end(): void;
}

/**
 * @param words - What the counts are of, such as `sent` and `failed`.
 */
export function createProgress(
  terminal: Terminal,
  [counted, failed]: readonly [string, string],
): Progress {
  const { showsProgress, now, print, warn } = terminal;
  const start = now();
  let [count, failures, width] = [0, 0, 0];
  let next = start + DELAY;
  // Without escape codes, which not every terminal has.
  const show = (text: string): void => {
    warn(`\r${text.padEnd(width)}`);
    width = text.length;
  };
  const end = (): void => {
    if (width > 0) warn(`\r${' '.repeat(width)}\r`);
    width = 0;
  };
  return {
    terminal: {
      ...terminal,
      print(text) {
        end();
        print(text);
      },
      warn(text) {
        end();
        warn(text);
      },
    },
    add(isFailed) {
      count += 1;
      if (isFailed) failures += 1;
      const time = now();
      if (!showsProgress || time < next) return;
      next = time + PAUSE;
      const rate = Math.round((count * 1000) / (time - start));
      const counts = [`${formatCount(count)} ${counted}`, `${formatCount(rate)} a second`];
      show([...counts, `${formatCount(failures)} ${failed}`].join(', '));
    },
    end,
  };
}
