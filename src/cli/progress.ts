import { CLEAR_LINE, cut, paint, type Terminal } from './terminal.js';
import { formatDuration } from './usage.js';

/** How often the line is written anew, in milliseconds. */
const INTERVAL_MS = 200;

/** A line on a terminal that shows how far the command is. */
export interface Progress {
  update(bytes: number, lines: number): void;
  /** Removes the line. */
  end(): void;
}

/** @param total - How many bytes there are; null if that is unknown. */
export function createProgress(
  terminal: Pick<Terminal, 'clock' | 'watched' | 'colours' | 'columns' | 'warn'>,
  total: number | null,
): Progress {
  const { clock, watched } = terminal;
  if (!watched) return { update() {}, end() {} };
  const start = clock.now();
  let next = start + INTERVAL_MS;
  let isShown = false;
  return {
    update(bytes, lines) {
      const now = clock.now();
      if (now < next) return;
      next = now + INTERVAL_MS;
      isShown = true;
      const elapsed = now - start;
      const rate = Math.round((lines / elapsed) * 1000);
      const left = total === null ? null : (elapsed / bytes) * (total - bytes);
      const parts = [
        total === null ? formatBytes(bytes) : `${formatBytes(bytes)} of ${formatBytes(total)}`,
        `${formatCount(rate)} bodies a second`,
        ...(left === null ? [] : [`${formatDuration(Math.max(left, 0))} left`]),
      ];
      // The last column stays free: some terminals break the line behind it.
      const line = cut(` ${parts.join(', ')}`, terminal.columns - 1);
      terminal.warn(CLEAR_LINE + paint(terminal, 'dim', line));
    },
    end() {
      if (isShown) terminal.warn(CLEAR_LINE);
    },
  };
}

const number = new Intl.NumberFormat('en');

/** A number as people write it: `2,000,000`. */
export function formatCount(count: number): string {
  return number.format(count);
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A number of bytes: `1.2 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return '1 byte';
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${Number(value.toFixed(1))} ${UNITS[unit]}`;
}
