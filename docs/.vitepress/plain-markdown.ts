// What GitHub shows and the site doesn't. Links to files outside of this folder lead to the repository; until that
// is known, only their labels are there. A box to tick is a character.
import type { MarkdownRenderer } from 'vitepress';
import { type Repository, withoutDeadLinks } from '../scripts/repository.js';

export function plainMarkdown(md: MarkdownRenderer, repository: Repository | null): void {
  md.core.ruler.before('normalize', 'plain-markdown', (state) => {
    const page = `docs/${state.env.relativePath}`;
    state.src = withoutDeadLinks(state.src, page, (path) => path.startsWith('docs/'), repository);
  });
  md.core.ruler.push('tasks', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      const text = tokens[index + 2]?.children?.[0];
      if (type !== 'list_item_open' || !text?.content.startsWith('[ ] ')) continue;
      tokens[index]?.attrSet('class', 'task');
      text.content = text.content.replace('[ ]', '☐');
    }
  });
}
