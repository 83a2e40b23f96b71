// Links to files outside of this folder. Where the repository is known, they lead to it; until then only their
// labels are there.
import type { MarkdownRenderer } from 'vitepress';
import { type Repository, withoutDeadLinks } from '../../scripts/repository.js';

export function sourceLinks(md: MarkdownRenderer, repository: Repository | null): void {
  md.core.ruler.before('normalize', 'source-links', (state) => {
    const page = `docs/${state.env.relativePath}`;
    state.src = withoutDeadLinks(state.src, page, (path) => path.startsWith('docs/'), repository);
  });
}
