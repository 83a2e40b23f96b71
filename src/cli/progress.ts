import prettyBytes from 'pretty-bytes';
import prettyMs from 'pretty-ms';
import { CLEAR_LINE, cut, paint, type Terminal } from './terminal.js';
import { formatCount } from './usage.js';

/** Pause between two updates of the line, in milliseconds. */
const INTERVAL_MS = 200;

/** Shows on a terminal how far the command is, in a line that is overwritten. An unknown total is NaN. */
export function createProgress(
  terminal: Terminal,
  totalBytes: number,
): (bytes: number, lines: number) => void {
  if (!terminal.watched) return () => {};
  const start = terminal.clock.now();
  let next = start + INTERVAL_MS;
  return (bytes, lines) => {
    const now = terminal.clock.now();
    if (now < next) return;
    next = now + INTERVAL_MS;
    const elapsed = now - start;
    const left = Math.max((elapsed / bytes) * (totalBytes - bytes), 0);
    const parts = [
      prettyBytes(bytes) + (totalBytes > 0 ? ` of ${prettyBytes(totalBytes)}` : ''),
      `${formatCount(Math.round((lines / elapsed) * 1000))} bodies a second`,
      ...(totalBytes > 0 ? [`${prettyMs(left)} left`] : []),
    ];
    // The last column stays free: some terminals wrap once it is filled.
    const line = paint(terminal, 'dim', cut(` ${parts.join(', ')}`, terminal.columns - 1));
    terminal.warn(CLEAR_LINE + line);
  };
}
