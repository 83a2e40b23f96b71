import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RESTART_MS = 200;

/**
 * Runs processes and starts each again when it ends; a stand-in for that of your platform.
 *
 * @param {string} folder For what they print.
 */
export function createSupervisor(folder) {
  /** @type {Map<string, { child: import('node:child_process').ChildProcess, ended: Promise<void> }>} */
  const processes = new Map();
  const logOf = (/** @type {string} */ name) => join(folder, `${name}.log`);
  let isStopping = false;

  /** @type {(name: string, command: string[], env?: Record<string, string>) => void} */
  function start(name, command, env = {}) {
    const [program = '', ...args] = command;
    const log = openSync(logOf(name), 'a');
    const child = spawn(program, args, {
      cwd: new URL('.', import.meta.url),
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
    });
    processes.set(name, { child, ended: startAgain() });

    async function startAgain() {
      await once(child, 'exit');
      closeSync(log);
      if (!isStopping) await sleep(RESTART_MS);
      if (!isStopping) start(name, command, env);
    }
  }

  function killAll() {
    isStopping = true;
    for (const { child } of processes.values()) child.kill('SIGKILL');
  }

  return {
    start,
    names: () => [...processes.keys()],
    /** Whether there was such a process. @param {string} name @param {NodeJS.Signals} signal */
    kill: (name, signal = 'SIGKILL') => processes.get(name)?.child.kill(signal) ?? false,
    killAll,
    async stop() {
      killAll();
      await Promise.all([...processes.values()].map(({ ended }) => ended));
    },
    /** All that it printed. @param {string} name */
    log: (name) => readFileSync(logOf(name), 'utf8'),
  };
}
