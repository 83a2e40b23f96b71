import { render } from 'preact';
import { Inspector } from './Inspector';
import type { InspectorProps } from './props';
import './inspector.css';

/** Puts the inspector into an element. Returns a function that takes it away. */
export function mount(element: Element, props: InspectorProps): () => void {
  render(<Inspector {...props} />, element);
  return () => render(null, element);
}
