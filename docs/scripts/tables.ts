// The parts of the pages that are generated from the sources. They are between marks:
//
//   <!-- fill: deposit -->
//   <!-- /fill -->
//
// A test fails if a page is stale. To write it again: npx vitest run test/pages.test.ts --update
import { LIMITS } from '../../scripts/schemas/limits.js';
import { run } from '../../src/cli/run.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { benchmarkTable } from './benchmark.js';
import { codesList, depositFields, ownerFields, withdrawalFields } from './fields.js';

const BLOCK = /^<!-- fill: (\w+) -->\n.*?^<!-- \/fill -->$/gms;

/** The sources by the word in a mark. */
const SOURCES: Readonly<Record<string, () => string | Promise<string>>> = {
  deposit: depositFields,
  withdrawal: withdrawalFields,
  owner: ownerFields,
  codes: codesList,
  limits: limitsList,
  benchmark: benchmarkTable,
};

/** The text of a page, with what its sources give between its marks. */
export async function withTables(text: string): Promise<string> {
  const words = [...text.matchAll(BLOCK)].map(([, word = '']) => word);
  const parts = new Map<string, string>();
  for (const word of words) {
    const source = SOURCES[word];
    if (source === undefined) throw new Error(`no source is called ${word}`);
    parts.set(word, (await source()).trim());
  }
  return text.replace(
    BLOCK,
    (_, word) => `<!-- fill: ${word} -->\n\n${parts.get(word)}\n\n<!-- /fill -->`,
  );
}

function limitsList(): string {
  const lines = Object.entries(LIMITS).map(([name, difference]) => `- \`${name}\`: ${difference}`);
  return lines.join('\n');
}

/** The help of the command and of each of its own commands, as a page of the site's reference. */
export async function helpPage(): Promise<string> {
  const help = await helpOf();
  const commands = [...help.matchAll(/^ {2}(\w+) .*? {2}/gm)].map(([, name = '']) => name);
  const parts = await Promise.all(
    commands.map(async (name) => `## ${name}\n\n\`\`\`text\n${await helpOf(name)}\n\`\`\`\n`),
  );
  const description = 'The options of the command.';
  const start = `---\ndescription: ${description}\n---\n\n# The command's options\n\n`;
  return `${start}\`\`\`text\n${help}\n\`\`\`\n\n${parts.join('\n')}`;
}

async function helpOf(...command: string[]): Promise<string> {
  const printed: string[] = [];
  const terminal = { print: (text: string) => void printed.push(text) } as Terminal;
  await run([...command, '--help'], terminal, '');
  return printed.join('').trim();
}
