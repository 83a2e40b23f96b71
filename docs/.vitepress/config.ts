import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TwoslashShikiFunction } from '@shikijs/twoslash';
import { transformerTwoslash } from '@shikijs/vitepress-twoslash';
import { createTwoslasher } from 'twoslash';
import ts from 'typescript';
import { defineConfig } from 'vitepress';
import { slugOf } from '../scripts/slug.js';
import { plainMarkdown } from './plain-markdown';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const base = process.env.DOCS_BASE ?? '/';
const SOURCES: Record<string, string> = {
  'payment-notifications': path('../../src/index.ts'),
  'payment-notifications/inspect': path('../../src/inspect/index.ts'),
  'payment-notifications/testing': path('../../src/testing/index.ts'),
  'payment-notifications/valibot': path('../../src/valibot.ts'),
};

/**
 * What a snippet is checked against: the declarations that are published, which are read much
 * faster.
 */
const DECLARATIONS: Record<string, string> = {
  'payment-notifications': path('../../dist/index.d.ts'),
  'payment-notifications/testing': path('../../dist/testing.d.ts'),
  'payment-notifications/valibot': path('../../dist/valibot.d.ts'),
  valibot: path('../../node_modules/valibot/dist/index.d.mts'),
};

const twoslash = createTwoslasher();

/** Docblocks whose links are code. */
const twoslasher: TwoslashShikiFunction = (code, extension, options) => {
  const result = twoslash(code, extension, options);
  for (const node of result.nodes) {
    if (node.type !== 'hover') continue;
    // In prose, each part of a link is a line of its own.
    const docs = node.docs?.replace(/\n?\{@link(?:code)? \n([^\n}]*?) ?\n\}\n?/g, '`$1`');
    if (docs !== undefined) node.docs = docs;
    for (const tag of node.tags ?? []) {
      tag[1] = tag[1]?.replace(/\{@link(?:code)? ([^}]*)\}/g, '`$1`');
    }
  }
  return result;
};

/**
 * Names that get no hover: each one is a component, which costs time here and bytes on the page.
 */
const WELL_KNOWN = [
  ['console', 'log', 'JSON', 'parse', 'stringify', 'Error', 'Date', 'toISOString', 'length', 'at'],
  ['createServer', 'AddressInfo', 'server', 'request', 'response', 'listen', 'listening', 'port'],
  ['close', 'end', 'writeHead', 'Response', 'Promise', 'Set', 'add', 'size'],
].flat();

/** The pages by their groups. */
const SIDEBAR = {
  'Get started': {
    Start: 'start',
    Handlers: 'handlers',
    Security: 'security',
    'Credit once': 'credit-once',
    Testing: 'testing',
  },
  'Handle the data': {
    Fields: 'fields',
    Amounts: 'amounts',
    'Errors and warnings': 'errors',
  },
  'Go to production': {
    Checklist: 'go-live',
    Operations: 'operations',
    Scaling: 'scale',
    Queues: 'queues',
    Upgrading: 'upgrading',
  },
  Tools: {
    Command: 'command',
    Inspector: 'inspector',
    Schemas: 'schemas',
    Benchmark: 'benchmark',
  },
  Reference: {
    'All names': 'api',
    'The command’s options': 'reference/command',
    'payment-notifications': 'reference/index',
    '…/receiver': 'reference/receiver',
    '…/spool': 'reference/spool',
    '…/testing': 'reference/testing',
    '…/inspect': 'reference/inspect',
    '…/valibot': 'reference/valibot',
  },
};

/** A link to the sources, once package.json says where they are. */
const { repository } = JSON.parse(readFileSync(path('../../package.json'), 'utf8'));
const sources = repository ? [{ text: 'Sources', link: webAddressOf(repository) }] : [];

/** From the forms that npm accepts: an object, a URL of git, or `github:owner/name`. */
function webAddressOf(repository: string | { readonly url: string }): string {
  const url = typeof repository === 'string' ? repository : repository.url;
  return url
    .replace(/^github:/, 'https://github.com/')
    .replace(/^git\+/, '')
    .replace(/\.git$/, '');
}

const sidebar = Object.entries(SIDEBAR).map(([text, pages]) => ({
  text,
  items: Object.entries(pages).map(([text, name]) => ({ text, link: `/${name}` })),
}));

/**
 * What a page may do. Nothing of it connects anywhere: the inspector is given customers' data. The
 * only inline scripts are VitePress's own, by their hashes.
 */
function policyOf(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = scripts.map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(hashes)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
}

export default defineConfig({
  title: 'payment-notifications',
  description:
    'Parses the callbacks of a crypto payment service into typed objects with exact amounts.',
  lang: 'en',
  base,
  cleanUrls: false,
  // A page that is never left sends nothing, not even for the pages that it links to.
  router: { prefetchLinks: false },
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  transformHtml: (html) =>
    html.replace(
      '<head>',
      () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${policyOf(html)}">`,
    ),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => md.use(plainMarkdown, base),
    anchor: { slugify: slugOf },
    image: { lazyLoading: true },
    codeTransformers: [
      {
        // What the command prints in green and red.
        preprocess(code, options) {
          if (options.lang !== 'console') return;
          options.decorations = [...code.matchAll(/[✓✗]/g)].map(({ 0: mark, index }) => ({
            start: index,
            end: index + 1,
            properties: { class: mark === '✓' ? 'ok' : 'bad' },
          }));
        },
      },
      transformerTwoslash({
        explicitTrigger: true,
        twoslasher,
        twoslashOptions: {
          shouldGetHoverInfo: (name) => !WELL_KNOWN.includes(name),
          compilerOptions: {
            strict: true,
            target: ts.ScriptTarget.ES2022,
            lib: ['lib.es2022.d.ts'],
            module: ts.ModuleKind.ESNext,
            moduleResolution: ts.ModuleResolutionKind.Bundler,
            types: ['node'],
            typeRoots: [path('../../node_modules/@types')],
            paths: Object.fromEntries(
              Object.entries(DECLARATIONS).map(([name, file]) => [name, [file]]),
            ),
          },
        },
      }),
    ],
  },
  vite: {
    resolve: {
      alias: [
        // Not another version, which VitePress brings.
        { find: 'preact', replacement: path('../../node_modules/preact') },
        ...Object.entries(SOURCES).map(([name, replacement]) => ({
          find: new RegExp(`^${name}$`),
          replacement,
        })),
      ],
    },
    server: { fs: { allow: [path('../..')] } },
    // A picture in the page would be one more thing that the policy has to allow.
    build: { assetsInlineLimit: 0 },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Fields', link: '/fields' },
      { text: 'Inspector', link: '/inspector' },
      ...sources,
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    notFound: { title: 'Page not found', quote: 'This address has no page.', linkText: 'Home' },
  },
});
