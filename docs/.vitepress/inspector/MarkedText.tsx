import type { VNode } from 'preact';
import type { Segment } from './marks';

interface Props {
  readonly segments: readonly Segment[];
  /** Lost digits look wrong; a difference is only pointed out. */
  readonly mark: 'lost' | 'differs';
  readonly title: string;
}

export function MarkedText({ segments, mark, title }: Props): VNode {
  return (
    <>
      {segments.map(({ text, isMarked }, index) =>
        isMarked ? (
          <mark key={index} class={mark} title={title}>
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </>
  );
}
