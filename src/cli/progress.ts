import { formatCount } from '../inspect/display.js';
import type { Terminal } from './terminal.js';

/** After how many more bodies the line is shown again. */
const STEP = 1000;

/** Shows in one line of a terminal how many bodies were inspected. */
interface Progress {
  show(bodies: number): void;
  /** Clears the line. Needed before anything else is printed. */
  clear(): void;
}

export function createProgress({ showsProgress, warn }: Terminal): Progress {
  let next = STEP;
  let isShown = false;
  return {
    show(bodies) {
      if (!showsProgress || bodies < next) return;
      next = bodies + STEP;
      isShown = true;
      warn(`\r${formatCount(bodies)} inspected`);
    },
    clear() {
      if (isShown) warn('\r\u001b[K');
      isShown = false;
    },
  };
}
