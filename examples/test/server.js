import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 60_000;
const LINE_MS = 60_000;

/** What still runs when the test ends in the middle: it would outlive it. @type {Set<() => void>} */
const running = new Set();
process.once('exit', () => {
  for (const end of running) end();
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/**
 * Ends something with this process, however that ends.
 *
 * @param {() => void} end
 */
export function atExit(end) {
  running.add(end);
  return () => running.delete(end);
}

/** A port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * Starts a server as a process of its own and waits until it takes connections, or, if it is a program
 * that `exits`, for its end.
 *
 * @param {string[]} command The port is in `PORT`, and replaces `{port}` in here.
 * @param {{ cwd: URL, env?: Record<string, string>, port?: number, exits?: boolean }} options
 */
export async function startServer([program = '', ...args], { cwd, env, port: given, exits }) {
  const port = given ?? (await freePort());
  const child = spawn(
    program,
    args.map((arg) => arg.replace('{port}', `${port}`)),
    {
      cwd,
      env: { ...process.env, NODE_ENV: 'production', ...env, PORT: `${port}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, which ends as one: some programs are started by another.
      detached: true,
    },
  );
  const exited = once(child, 'close');
  const forget = atExit(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
  exited.then(forget);
  /** @type {string[]} */
  const printed = [];
  /** @type {any[]} What the server has printed as JSON, one object a line. */
  const journal = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (line.startsWith('{"')) journal.push(JSON.parse(line));
      else printed.push(line);
    });
  }

  const isRunning = () => child.exitCode === null && child.signalCode === null;
  /** @param {NodeJS.Signals} signal */
  const end = async (signal) => {
    if (isRunning() && child.pid !== undefined) process.kill(-child.pid, signal);
    await exited;
  };

  const deadline = Date.now() + START_MS;
  if (exits) {
    while (isRunning() && !(await takesConnections(port))) await sleep(20);
    if (isRunning()) {
      await end('SIGKILL');
      throw new Error(`${program} ${args.join(' ')} started, but should have exited`);
    }
    await exited;
  }
  while (!exits && !(await takesConnections(port))) {
    if (!isRunning() || Date.now() > deadline) {
      await end('SIGKILL');
      throw new Error(`${program} ${args.join(' ')} did not start:\n${printed.join('\n')}`);
    }
    await sleep(20);
  }

  return {
    port,
    url: `http://127.0.0.1:${port}/callbacks`,
    journal,
    printed,
    isRunning,
    /** Null if a signal ended it. */
    exitCode: () => child.exitCode,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    /** Waits for the journal's next lines, of which it takes so many. @param {number} count */
    async take(count) {
      const until = Date.now() + LINE_MS;
      while (journal.length < count && Date.now() < until) await sleep(2);
      return journal.splice(0);
    },
  };
}

/** @param {number} port */
async function takesConnections(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
