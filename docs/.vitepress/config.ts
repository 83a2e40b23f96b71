import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The pages by who reads them. */
const SIDEBAR = {
  Build: {
    Frameworks: 'frameworks',
    'Credit once': 'credit-once',
    Testing: 'testing',
    Security: 'security',
    'Go live': 'go-live',
    Recipes: 'recipes',
  },
  Operate: {
    Runbook: 'runbook',
    'Inspect and send (CLI)': 'cli',
  },
  'Look up': {
    Fields: 'fields',
    Amounts: 'amounts',
    'Errors and warnings': 'errors',
    API: 'api',
  },
  'From the docblocks': {
    'payment-notifications': 'reference/index',
    '…/receiver': 'reference/receiver',
    '…/store': 'reference/store',
    '…/testing': 'reference/testing',
    '…/inspect': 'reference/inspect',
    '…/valibot': 'reference/valibot',
  },
};

/** The anchor of a heading as GitHub makes it: a link leads to the same place there. */
function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/** Files of the package, at the same paths as there. */
const FILES = ['inspector.html', 'examples/start'];

/** In the form `github:owner/name`; the first release adds it. */
const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const sources = repository
  ? [{ text: 'Sources', link: repository.replace('github:', 'https://github.com/') }]
  : [];

export default defineConfig({
  title: 'payment-notifications',
  titleTemplate: ':title | Deposit and withdrawal webhooks',
  description:
    'Receive the deposit and withdrawal webhooks of a crypto payment service: exact amounts, credited once.',
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // A page is in `docs/` as on GitHub and in the package, so a link from it to a file works in all.
  rewrites: (page) => (page === 'index.md' ? page : `docs/${page}`),
  buildEnd({ outDir }) {
    for (const file of FILES) cpSync(join(ROOT, file), join(outDir, file), { recursive: true });
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
  },
  themeConfig: {
    nav: [
      { text: 'Build', link: '/docs/frameworks' },
      { text: 'Runbook', link: '/docs/runbook' },
      { text: 'Fields', link: '/docs/fields' },
      { text: 'Inspector', link: '/inspector.html', target: '_self' },
      ...sources,
    ],
    sidebar: Object.entries(SIDEBAR).map(([text, pages]) => ({
      text,
      items: Object.entries(pages).map(([text, name]) => ({ text, link: `/docs/${name}` })),
    })),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
});
