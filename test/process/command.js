import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The built command. */
export const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/**
 * Starts a program whose output is collected.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, stdin?: string }} [given]
 */
export function start(program, args, { cwd, env, stdin } = {}) {
  // Whether there are colours is up to each test, not to where the tests run: Node.js heeds all of
  // these.
  const neutral = {
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    NODE_DISABLE_COLORS: undefined,
    COLUMNS: undefined,
    CI: undefined,
  };
  const child = spawn(program, args, { cwd, env: { ...process.env, ...neutral, ...env } });
  if (stdin !== undefined) child.stdin.end(stdin);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([out, err, [exit, signal]]) => ({ out, err, exit, signal }),
  );
  return { child, ended };
}

/**
 * Runs the built command to its end.
 *
 * @param {string[]} args
 * @param {Parameters<typeof start>[2]} [given]
 */
export function run(args, given = {}) {
  return start(process.execPath, [COMMAND, ...args], { stdin: '', ...given }).ended;
}
