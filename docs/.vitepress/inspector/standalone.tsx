// The inspector as a page of its own, in one file.
import { render } from 'preact';
import { Inspector } from './Inspector';
import type { InspectorProps } from './props';
import './standalone.css';
import './inspector.css';

/** scripts/inspector.ts puts them here. */
declare const PROPS: InspectorProps;

const darkness = matchMedia('(prefers-color-scheme: dark)');
const setTheme = () => document.documentElement.classList.toggle('dark', darkness.matches);
darkness.addEventListener('change', setTheme);
setTheme();

render(
  <main class="inspector">
    <div class="lead">
      <h1>Inspector</h1>
      <p>
        See what a callback body says, and how it is parsed.{' '}
        <strong>Nothing leaves the page.</strong>
      </p>
    </div>
    <Inspector {...PROPS} />
  </main>,
  document.body,
);
