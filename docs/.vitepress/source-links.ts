// Links to files outside of this folder. Where the repository is known, they lead to it; until then they
// are no links on the site.
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** @param base What a path in the repository follows in the address of its page; null if unknown. */
export function sourceLinks(md: MarkdownRenderer, base: string | null): void {
  md.core.ruler.push('source-links', ({ tokens, env }) => {
    const folder = posix.dirname(posix.join('docs', env.relativePath ?? ''));
    for (const { children } of tokens) {
      let isInside = false;
      for (const token of children ?? []) {
        if (token.type === 'link_close' && isInside) {
          isInside = false;
          token.tag = base === null ? 'span' : 'a';
        }
        if (token.type !== 'link_open') continue;
        const target = posix.join(folder, token.attrGet('href') ?? '');
        if (!/^\.\.?\//.test(token.attrGet('href') ?? '') || target.startsWith('docs/')) continue;
        isInside = true;
        if (base === null) {
          token.tag = 'span';
          token.attrs = [['class', 'source']];
        } else {
          token.attrSet('href', base + target);
        }
      }
    }
  });
}
