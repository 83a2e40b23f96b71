import { CLEAR_LINE, cut, paint, type Terminal } from './terminal.js';
import { formatDuration } from './usage.js';

/** Pause between two updates of the line, in milliseconds. */
const INTERVAL_MS = 200;

/** Shows on a terminal how far the command is, in a line that is overwritten. */
export function createProgress(
  terminal: Terminal,
  totalBytes: number | null,
): (bytes: number, lines: number) => void {
  const { clock, columns } = terminal;
  if (!terminal.watched) return () => {};
  const start = clock.now();
  let next = start + INTERVAL_MS;
  return (bytes, lines) => {
    const now = clock.now();
    if (now < next) return;
    next = now + INTERVAL_MS;
    const elapsed = now - start;
    const left = Math.max((elapsed / bytes) * (Number(totalBytes) - bytes), 0);
    const parts = [
      formatBytes(bytes) + (totalBytes === null ? '' : ` of ${formatBytes(totalBytes)}`),
      `${formatCount(Math.round((lines / elapsed) * 1000))} bodies a second`,
      ...(totalBytes === null ? [] : [`${formatDuration(left)} left`]),
    ];
    // The last column stays free: some terminals wrap once it is filled.
    const line = paint(terminal, 'dim', cut(` ${parts.join(', ')}`, columns - 1));
    terminal.warn(CLEAR_LINE + line);
  };
}

/** A number with separators: `2,000,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en');

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A number of bytes: `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  return bytes === 1 ? '1 byte' : `${Number((bytes / 1000 ** unit).toFixed(1))} ${UNITS[unit]}`;
}
