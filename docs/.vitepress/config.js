import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { slug } from '../../scripts/pages/code.js';

/** The pages by who reads them, as in README. The slug of a title is the name of its file. */
const SIDEBAR = {
  'You build the endpoint': ['Frameworks', 'Credit once', 'Testing', 'Go live'],
  'Your case differs': ['Databases', 'Serverless', 'Orders'],
  'You are on call': ['Runbook'],
  'You review security': ['Security'],
  'You look something up': ['Fields', 'Amounts', 'Errors', 'API', 'CLI'],
};

export default defineConfig({
  title: 'payment-notifications',
  description: 'Receive the deposit and withdrawal webhooks of a crypto payment service.',
  base: process.env.DOCS_BASE ?? '/',
  // The root of the repository, so that links between pages work as they do on GitHub and npm.
  srcDir: '..',
  srcExclude: ['!(README|CHANGELOG).md', '!(docs)/**/*'],
  rewrites: { 'README.md': 'index.md' },
  vite: {
    // Vue is installed in this folder, so README, which is above it, doesn't find it.
    resolve: { alias: { vue: join(import.meta.dirname, '../node_modules/vue') } },
    ssr: { noExternal: true },
  },
  markdown: {
    anchor: { slugify: slug },
    config(md) {
      // VitePress takes a file without an extension for a page.
      const { normalizeLink } = md;
      md.normalizeLink = (url) => normalizeLink(url === 'LICENSE' ? '/LICENSE.txt' : url);
    },
  },
  buildEnd({ srcDir, outDir }) {
    cpSync(join(srcDir, 'inspector.html'), join(outDir, 'inspector.html'));
    cpSync(join(srcDir, 'LICENSE'), join(outDir, 'LICENSE.txt'));
  },
  themeConfig: {
    nav: [{ text: 'Inspector', link: '/inspector.html', target: '_self' }],
    sidebar: Object.entries(SIDEBAR).map(([text, titles]) => ({
      text,
      items: titles.map((title) => ({ text: title, link: `/docs/${slug(title)}` })),
    })),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
});
