// Draws the page. What somebody does is an action, which leads to the next state.
import { render } from 'preact';
import { shorten } from '../src/inspect/display';
import type { JsonFault } from '../src/inspect/index';
import { MAX_BYTES } from '../src/parser/body';
import { Page } from './Page';
import { type Action, next, START } from './state';

/** As in style.css. */
const PHONE = matchMedia('(max-width: 640px)');

let state = START;

function dispatch(action: Action): void {
  state = next(state, action);
  draw();
}

function draw(): void {
  render(
    <Page state={state} dispatch={dispatch} onFile={open} onShow={showFault} />,
    document.body,
  );
}

async function open(file: File): Promise<void> {
  const name = shorten(file.name, 80);
  try {
    // An endpoint reads no further either.
    const bytes = await file.slice(0, MAX_BYTES + 1).arrayBuffer();
    dispatch({ type: 'opened', name, bytes: new Uint8Array(bytes) });
  } catch {
    dispatch({ type: 'unopened', name });
  }
  showAnswer();
}

function boxOf(): HTMLTextAreaElement | null {
  return document.querySelector('textarea');
}

/** On a phone, the answer is below the box, where the keyboard would cover it. */
function showAnswer(): void {
  if (!PHONE.matches) return;
  boxOf()?.blur();
  document.querySelector('.answer')?.scrollIntoView();
}

/** Selects the place of an error in the box, and scrolls to it. */
function showFault({ line, column }: JsonFault): void {
  const box = boxOf();
  if (box === null) return;
  const before = box.value.split('\n').slice(0, line - 1);
  // The lines before, each with its break, and a byte-order mark, which is no part of the text.
  const mark = line === 1 && box.value.startsWith('\uFEFF') ? 1 : 0;
  const at = before.join('').length + before.length + column - 1 + mark;
  box.setSelectionRange(at, at + 1);
  // A browser scrolls to the selection when the box gets the focus.
  box.blur();
  box.focus();
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
  else {
    dispatch({ type: 'given', text });
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
if (!PHONE.matches) boxOf()?.focus();
