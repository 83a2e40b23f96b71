// Draws the page. What somebody does is an event, which leads to the next state.
import { render } from 'preact';
import { printable } from './marks';
import { Page } from './Page';
import { type Event, MAX_BYTES, next, START } from './state';

/** As in style.css. */
const PHONE = matchMedia('(max-width: 640px)');

let state = START;

function handle(event: Event): void {
  state = next(state, event);
  draw();
}

function draw(): void {
  render(<Page state={state} handle={handle} onFile={open} />, document.body);
}

async function open(file: File): Promise<void> {
  const { size } = file;
  const name = printable(file.name, 80);
  const bytes = size > MAX_BYTES ? null : await file.arrayBuffer().catch(() => null);
  if (bytes === null) handle({ type: 'unopened', name, size });
  else handle({ type: 'opened', name, bytes: new Uint8Array(bytes) });
  showAnswer();
}

/** On a phone, the answer is below the box, where the keyboard would cover it. */
function showAnswer(): void {
  if (!PHONE.matches) return;
  document.getElementById('box')?.blur();
  document.querySelector('.bodies, .answer')?.scrollIntoView();
}

// Anywhere on the page, and in place of what is in the box: of two bodies in a row, the first one
// would be shown. A browser also takes seconds to insert many lines.
addEventListener('paste', (event) => {
  const text = event.clipboardData?.getData('text/plain') ?? '';
  const [file] = event.clipboardData?.files ?? [];
  if (text === '' && file === undefined) return;
  event.preventDefault();
  // A cell of a spreadsheet is also copied as a picture.
  if (text === '' && file !== undefined) open(file);
  else {
    handle({ type: 'given', text });
    showAnswer();
  }
});
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  const [file] = event.dataTransfer?.files ?? [];
  if (file === undefined) return;
  event.preventDefault();
  open(file);
});

draw();
if (!PHONE.matches) document.getElementById('box')?.focus();
