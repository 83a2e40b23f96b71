import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [{ devDependencies }, { dependencies }] = ['../../package.json', 'tools/package.json'].map(
  (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')),
);
const VERSIONS: Readonly<Record<string, string>> = { ...devDependencies, ...dependencies };

/** A tool in the version that the manifests name, as npm takes it. */
export const pinned = (name: string): string => `${name}@${VERSIONS[name]}`;

/** What came of a command. */
interface Outcome {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, whatever its exit status. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ status: error ? (error.code ?? error.signal ?? 1) : 0, stdout, stderr });
    });
  });
}

/** Runs a program that must succeed, and gives what it printed. */
export async function output(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { status, stdout, stderr } = await run(program, args, cwd, env);
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
}

/** Installs packages into a folder, without running what they would run: none of them needs it. */
export function install(packages: readonly string[], folder: string): Promise<string> {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  // Into this folder, even if one above it is a package.
  const args = ['install', '--prefix', folder, '--loglevel=error', ...flags, ...packages];
  return output('npm', args, folder);
}
