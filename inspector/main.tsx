// Draws the page. What somebody does is an action, which leads to the next state.
import { render } from 'preact';
import { shorten } from '../src/inspect/display';
import { MAX_BYTES } from '../src/parser/body';
import { Page } from './Page';
import { type Action, next, START } from './state';

let state = START;

function dispatch(action: Action): void {
  state = next(state, action);
  draw();
}

function draw(): void {
  render(<Page state={state} dispatch={dispatch} onFile={open} />, document.body);
}

async function open(file: File): Promise<void> {
  const name = shorten(file.name, 80);
  dispatch({ type: 'cleared' }); // a file that can't be read leaves no answer to another
  // An endpoint reads no further either.
  const bytes = await file.slice(0, MAX_BYTES + 1).arrayBuffer();
  dispatch({ type: 'opened', name, bytes: new Uint8Array(bytes) });
}

// Text may be pasted anywhere on the page. It replaces what is in the box, because two bodies in a
// row would be refused as one, and a browser takes seconds to insert many lines.
addEventListener('paste', (event) => {
  const text = event.clipboardData?.getData('text/plain') ?? '';
  const [file] = event.clipboardData?.files ?? [];
  if (text === '' && file === undefined) return;
  event.preventDefault();
  // A cell of a spreadsheet is also copied as a picture.
  if (text === '' && file !== undefined) open(file);
  else dispatch({ type: 'given', text });
});

draw();
document.getElementById('box')?.focus();
