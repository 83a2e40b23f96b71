import { spawnSync } from 'node:child_process';

/**
 * Installs packages where this may: as root on Debian, which is what a container of CI is.
 *
 * @param {string[]} packages
 */
export function installFromDebian(packages) {
  if (packages.length === 0 || process.getuid?.() !== 0) return;
  if (spawnSync('apt-get', ['--version']).error) return;
  console.log(`Installing ${packages.join(' and ')}.`);
  const names = packages.join(' ');
  const install = `apt-get update -qq && apt-get install -qq -y --no-install-recommends ${names}`;
  spawnSync('sh', ['-c', install], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
