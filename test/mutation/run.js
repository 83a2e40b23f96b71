// Changes src in every way that Stryker knows, one change at a time, and lists the changes that no
// test notices: node test/mutation/run.js [PART…] [--OPTION=VALUE-OF-STRYKER…]
import { execFileSync, spawnSync } from 'node:child_process';
import { PARTS } from './parts.js';

const CONFIG = 'test/mutation/stryker.config.js';
execFileSync('node', ['scripts/build.js', '--if-older', '--silent'], { stdio: 'inherit' });
const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith('-'));
const options = args.filter((arg) => arg.startsWith('-'));
for (const part of named.length === 0 ? Object.keys(PARTS) : named) {
  console.log(`── ${part}`);
  const env = { ...process.env, MUTATE: part };
  const { status } = spawnSync('npx', ['stryker', 'run', CONFIG, ...options], {
    env,
    stdio: 'inherit',
  });
  // The other parts still run.
  if (status !== 0) process.exitCode = 1;
}
