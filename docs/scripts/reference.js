// The reference of every entry, from the docblocks, and of the command, from its help. A link that
// leads nowhere fails.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { run } from '../../src/cli/run.js';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** The sources of the entries, with what they are about. */
const ENTRIES = {
  'index.ts': ['index', 'payment-notifications', 'Parsers, types, errors and schemas.'],
  'valibot.ts': ['valibot', 'payment-notifications/valibot', 'The schemas under valibot types.'],
  'inspect/index.ts': ['inspect', 'payment-notifications/inspect', 'A body, field by field.'],
  'receiver/index.ts': ['receiver', 'payment-notifications/receiver', 'An endpoint for callbacks.'],
  'spool/index.ts': ['spool', 'payment-notifications/spool', 'A folder of bodies that wait.'],
  'testing/index.ts': ['testing', 'payment-notifications/testing', 'The testing kit.'],
};

const out = path('../reference');
rmSync(out, { recursive: true, force: true });
/** @type {import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions} */
const options = {
  name: 'payment-notifications',
  entryPoints: Object.keys(ENTRIES).map((entry) => path(`../../src/${entry}`)),
  tsconfig: path('../../tsconfig.json'),
  plugin: ['typedoc-plugin-markdown'],
  logLevel: 'Warn',
  treatWarningsAsErrors: true,
  readme: 'none',
  out,
  disableSources: true,
  // Named in a type, but of no use by themselves.
  intentionallyNotExported: [
    'Override',
    'DepositReceivedField',
    'WithdrawalBroadcastField',
    'MaybeAnswer',
    'Settle',
    'NOTES',
    'ParsedBody',
  ],
  githubPages: false,
  // Of typedoc-plugin-markdown:
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  enumMembersFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  entryFileName: 'overview',
};
const app = await Application.bootstrapWithPlugins(options);
const project = await app.convert();
if (!project) throw new Error('the sources do not compile, see above');
app.validate(project);
await app.generateOutputs(project);
const { logger } = app;
if (logger.hasErrors() || logger.hasWarnings()) throw new Error('the reference: see above');

for (const [file, title, description] of Object.values(ENTRIES)) {
  const page = `${out}/${file}.md`;
  const text = readFileSync(page, 'utf8').replace(/^# .*/, `# \`${title}\`\n\n${description}`);
  writeFileSync(page, `---\ndescription: ${description}\npageClass: reference\n---\n\n${text}`);
}
rmSync(`${out}/overview.md`);

writeFileSync(`${out}/command.md`, await helpPage());

/** The help of the command and of each of its own commands, as a page. */
async function helpPage() {
  const help = await helpOf();
  const commands = [...help.matchAll(/^ {2}(\w+) .*? {2}/gm)].map(([, name = '']) => name);
  const parts = await Promise.all(
    commands.map(async (name) => `## ${name}\n\n\`\`\`text\n${await helpOf(name)}\n\`\`\`\n`),
  );
  const description = 'The options of the command.';
  const start = `---\ndescription: ${description}\n---\n\n# The command's options\n\n`;
  return `${start}\`\`\`text\n${help}\n\`\`\`\n\n${parts.join('\n')}`;
}

/** @param {string[]} command */
async function helpOf(...command) {
  /** @type {string[]} */
  const printed = [];
  const print = (/** @type {string} */ text) => printed.push(text);
  /** @type {any} It only prints. */
  const terminal = { print };
  await run([...command, '--help'], terminal, '');
  return printed.join('').trim();
}
