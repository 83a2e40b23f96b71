// What the site makes of the plain Markdown that GitHub and the package show: a link to a file
// beside this folder leads to the site's own copy, one command to install is a tab for each package
// manager, a picture reserves its height and has the colors of the theme, a box can be ticked.
import { readFileSync } from 'node:fs';
import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

const OUTSIDE = /\[([^\]]+)\]\(\.\.\/([^)]+)\)/g;
const INSTALL = /^```sh\nnpm install (.+)\n```$/gm;
const MANAGERS = ['npm install', 'pnpm add', 'yarn add', 'bun add'];

export function plainMarkdown(md: MarkdownRenderer, base: string): void {
  md.core.ruler.before('normalize', 'plain-markdown', (state) => {
    if (state.env.relativePath?.startsWith('reference/')) return;
    state.src = state.src
      .replace(OUTSIDE, (_, label, path) => `<a href="${base}${path}" target="_self">${label}</a>`)
      .replace(INSTALL, (_, packages) => {
        const tabs = MANAGERS.map(
          (add) => `\`\`\`sh [${add.split(' ')[0]}]\n${add} ${packages}\n\`\`\`\n`,
        );
        return `::: code-group\n\n${tabs.join('\n')}\n:::`;
      });
  });
  md.core.ruler.push('sizes', ({ tokens, Token }) => {
    for (const parent of tokens) {
      parent.children = (parent.children ?? []).flatMap((token) => {
        if (token.type !== 'image') return [token];
        const light = `${token.attrGet('src')}`;
        const dark = light.replace('.png', '-dark.png');
        return [
          pictureOf(token, light, 'light-only'),
          pictureOf(Object.assign(new Token('image', 'img', 0), token), dark, 'dark-only'),
        ];
      });
    }
  });
  md.core.ruler.push('tasks', ({ tokens, Token }) => {
    for (const [index, { type }] of tokens.entries()) {
      const { children } = tokens[index + 2] ?? {};
      const text = children?.[0];
      if (type !== 'list_item_open' || !text?.content.startsWith('[ ] ')) continue;
      tokens[index]?.attrSet('class', 'task');
      text.content = text.content.replace('[ ] ', '');
      const html = (content: string) => Object.assign(new Token('html_inline', '', 0), { content });
      children?.unshift(html('<label><input type="checkbox">'));
      children?.push(html('</label>'));
    }
  });
}

/** The stylesheet shows one of both pictures, and browsers load no other. */
function pictureOf(token: Token, source: string, theme: string): Token {
  const [width, height] = sizeOf(new URL(`../${source}`, import.meta.url));
  const attributes = { src: source, width: `${width}`, height: `${height}`, class: theme };
  token.attrs = Object.entries({ alt: '', ...attributes });
  return token;
}

/** Of a PNG, by its header, or of an SVG, by its attributes. */
function sizeOf(file: URL): [number, number] {
  const bytes = readFileSync(file);
  if (file.pathname.endsWith('.png')) return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const [, width, height] = / width="(\d+)" height="(\d+)"/.exec(bytes.toString()) ?? [];
  return [Number(width), Number(height)];
}
