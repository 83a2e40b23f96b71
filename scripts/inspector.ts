// The inspector as one HTML file, which opens from a disk and sends nothing.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { fieldMeanings } from './pages/tables.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export async function writeInspector(): Promise<void> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['main.tsx', 'style.css'].map((name) => join(ROOT, 'inspector', name)),
    define: { MEANINGS: JSON.stringify(fieldMeanings()) },
    // Without what only the compiler has to know.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    outdir: 'unused',
    write: false,
    metafile: true,
    absWorkingDir: ROOT,
  });
  const textOf = (end: string) =>
    outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? '';
  // In a script, this would end it.
  const script = textOf('.js').replaceAll('</script', '<\\/script');
  const style = textOf('.css');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const page = readFileSync(join(ROOT, 'inspector/index.html'), 'utf8')
    .replace(
      '<!-- policy -->',
      () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    )
    .replace('<link rel="stylesheet" href="style.css">', () => `<style>${style}</style>`)
    .replace('<script src="main.tsx"></script>', () => `<script>${script}</script>`)
    .replace('<!-- licenses -->', () => licensesOf(Object.keys(metafile.inputs)));
  writeFileSync(join(ROOT, 'inspector.html'), page);
}

/** The licenses of the packages that sources are from. Each has to be passed on with the code. */
function licensesOf(sources: readonly string[]): string {
  const packages = sources.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const texts = [...new Set(packages)]
    .flatMap((path) => (path === undefined ? [] : [join(ROOT, path)]))
    .map((folder) => {
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
      if (file === undefined) throw new Error(`${folder} has no license`);
      return `${basename(folder)}\n\n${readFileSync(join(folder, file), 'utf8')}`;
    });
  return `<!--\npayment-notifications, and these packages:\n\n${texts.join('\n')}-->`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
