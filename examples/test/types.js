// Checks the types of the pages' code and of the tests, and lints the first, by one program: each
// would read the same two thousand files.
import { ESLint } from 'eslint';
import ts from 'typescript';
import { configs } from 'typescript-eslint';

const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error };
const config = ts.getParsedCommandLineOfConfigFile('tsconfig.json', {}, host);
if (!config) throw new Error('tsconfig.json is not valid');
const program = ts.createProgram(config.fileNames, config.options);
const found = [...config.errors, ...ts.getPreEmitDiagnostics(program)];
// The rules that a merchant's project may have.
const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [
    { ignores: ['**/*.test.ts'] },
    ...configs.recommendedTypeChecked.map((one) => ({ ...one, files: ['**/*.ts'] })),
    {
      files: ['**/*.ts'],
      languageOptions: { parserOptions: { programs: [program] } },
      // The receiver of the page throws until the reader has written its function.
      rules: { '@typescript-eslint/require-await': 'off' },
    },
  ],
});
const linted = await eslint.lintFiles('pages-checked');
const formatter = await eslint.loadFormatter();
const text = ts.formatDiagnostics(found, {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
  getNewLine: () => '\n',
});
console.log(`${text}${await formatter.format(linted)}`.trim() || 'All types are right.');
if (found.length > 0 || linted.some(({ errorCount }) => errorCount > 0)) process.exitCode = 1;
