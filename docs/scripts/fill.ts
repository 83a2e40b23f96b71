// Writes the parts of README.md and docs/*.md that have their source elsewhere, snippets and tables, between
// their marks:
//
//   <!-- fill: file ./snippets/queue.ts -->
//   <!-- /fill -->
//
// Run it after a change of either: npx tsx docs/scripts/fill.ts
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, posix } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '../../scripts/schemas/limits.js';
import { run } from '../../src/cli/run.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { benchmarkTables, CHART, drawChart } from './benchmark.js';
import { codesTable, depositTable, ownerTable, withdrawalTable } from './fields.js';

const ROOT = new URL('../../', import.meta.url);
const BLOCK = /^<!-- fill: ([^\n]+) -->\n.*?^<!-- \/fill -->$/gms;

const SKILL = 'skills/payment-notifications/SKILL.md';

/** Code that the site type-checks, with types to hover over. */
const CHECKED = /^(docs\/snippets|test\/readme)\/.*\.ts$/;

/** The sources by the word in a mark; some take an argument. */
const SOURCES: Record<string, (page: string, argument: string) => string | Promise<string>> = {
  file: showFile,
  section: showSection,
  deposit: depositTable,
  withdrawal: withdrawalTable,
  owner: ownerTable,
  codes: codesTable,
  limits: () =>
    table(
      ['name', 'difference'],
      Object.entries(LIMITS).map(([name, description]) => [`\`${name}\``, description]),
    ),
  benchmark: benchmarkTables,
  help: showHelp,
};

/** What the files should hold, by path from the root of the repository. */
export async function filledFiles(): Promise<Map<string, string>> {
  const pages = readdirSync(new URL('docs', ROOT)).filter((file) => file.endsWith('.md'));
  const files = new Map([[CHART, drawChart()]]);
  for (const page of ['README.md', SKILL, ...pages.map((file) => `docs/${file}`)]) {
    files.set(page, await fill(page, read(page)));
  }
  return files;
}

async function fill(page: string, text: string): Promise<string> {
  const parts = new Map<string, string>();
  for (const [, mark = ''] of text.matchAll(BLOCK)) {
    const [, word = '', argument = ''] = /^(\w+) ?(.*)$/.exec(mark) ?? [];
    const source = SOURCES[word];
    if (source === undefined) throw new Error(`${page}: no source is called ${word}`);
    parts.set(mark, (await source(page, argument)).trim());
  }
  return text.replace(
    BLOCK,
    (_, mark) => `<!-- fill: ${mark} -->\n\n${parts.get(mark)}\n\n<!-- /fill -->`,
  );
}

function read(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

/** A whole file as a block of code, or of `<file> from <text>` the statement that starts with the text. */
function showFile(page: string, argument: string): string {
  const [name = '', start] = argument.split(' from ');
  const file = posix.join(posix.dirname(page), name);
  let code = read(file);
  if (start !== undefined) {
    const lines = code.split('\n');
    const first = lines.findIndex((line) => line.startsWith(start));
    const last = lines.findIndex((line, index) => index > first && /^[^\s]/.test(line));
    if (first < 0) throw new Error(`${file} has no statement that starts with ${start}`);
    code = lines.slice(first, last + 1).join('\n');
  }
  const language = extname(file).replace(/^\.m?/, '');
  const hover = page.startsWith('docs/') && CHECKED.test(file) ? ' twoslash' : '';
  return `\`\`\`${language}${hover}\n${code.trimEnd()}\n\`\`\``;
}

/** `<file> <heading>`: a section of a text, without its heading. */
function showSection(page: string, argument: string): string {
  const [file = '', ...heading] = argument.split(' ');
  const [, section] = `${readLinked(page, file)}\n## `.split(`\n## ${heading.join(' ')}`);
  if (section === undefined) throw new Error(`${file} has no section ${heading.join(' ')}`);
  return section.replace(/^.*\n/, '').split('\n## ')[0] ?? '';
}

/** A text from elsewhere, with its links as they are from the page. */
function readLinked(page: string, file: string): string {
  const path = posix.join(posix.dirname(page), file);
  return read(path).replace(/(?<=\]\()(?![a-z]+:|#)[^)]*/g, (target) =>
    posix.relative(posix.dirname(page), posix.join(posix.dirname(path), target)),
  );
}

/** The help of the command and of each of its own commands. */
async function showHelp(): Promise<string> {
  const help = await helpOf('');
  const commands = [...help.matchAll(/^ {2}(\w+) .*? {2}/gm)].map(([, name = '']) => name);
  const parts = ['', ...commands].map(
    async (name) =>
      `### ${name || 'payment-notifications'}\n\n\`\`\`text\n${await helpOf(name)}\n\`\`\``,
  );
  return (await Promise.all(parts)).join('\n\n');
}

async function helpOf(command: string): Promise<string> {
  const printed: string[] = [];
  const terminal = { print: (text: string) => void printed.push(text) } as Terminal;
  await run([command, '--help'], terminal, '');
  return printed.join('').trim();
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of await filledFiles()) writeFileSync(new URL(file, ROOT), text);
}
