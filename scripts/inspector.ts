// The inspector as one HTML file, which opens from a disk and sends nothing.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import page from '../docs/.vitepress/inspector/page.data.js';
import { type InspectorProps, QUICK } from '../docs/.vitepress/inspector/props.js';
import { ROOT } from './dist.js';

export async function writeInspector(): Promise<void> {
  const { sampleGroups, meanings } = page.load();
  // All samples would double the file.
  const samples = sampleGroups
    .flatMap((group) => group.samples)
    .filter(({ id }) => Object.hasOwn(QUICK, id));
  const props: InspectorProps = { sampleGroups: [{ label: 'Samples', samples }], meanings };
  const { outputFiles, metafile } = await build({
    entryPoints: [join(ROOT, 'docs/.vitepress/inspector/standalone.tsx')],
    alias: {
      // Not another version, which the tools of docs may bring.
      preact: dirname(createRequire(import.meta.url).resolve('preact/package.json')),
      'payment-notifications': join(ROOT, 'src/index.ts'),
      'payment-notifications/inspect': join(ROOT, 'src/inspect/index.ts'),
    },
    define: { PROPS: JSON.stringify(props) },
    // The tsconfig.json of docs says more than esbuild has to know.
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
  const licenses = licensesOf(Object.keys(metafile.inputs));
  const script = textOf('.js').replaceAll('</script', '<\\/script');
  const style = textOf('.css');
  writeFileSync(join(ROOT, 'inspector.html'), pageOf(script, style, licenses));
}

function pageOf(script: string, style: string, licenses: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<!--
payment-notifications, and these packages:

${licenses}-->
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Inspector · payment-notifications</title>
<style>${style}</style>
</head>
<body>
<script>${script}</script>
</body>
</html>
`;
}

/** The licenses of the packages that sources are from. They want to be passed on with the code. */
function licensesOf(sources: readonly string[]): string {
  const packages = sources.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(packages)]
    .flatMap((path) => (path === undefined ? [] : [join(ROOT, path)]))
    .map((folder) => {
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
      if (file === undefined) throw new Error(`${folder} has no license`);
      return `${basename(folder)}\n\n${readFileSync(join(folder, file), 'utf8')}`;
    })
    .join('\n');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
