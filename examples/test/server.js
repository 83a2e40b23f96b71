import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** For what hangs. Half of the runner's own limit, so that the message tells what was printed. */
const PATIENCE_MS = 300_000;

/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

/** The last segment of the path to every handler. */
export const SECRET = 'a-secret-of-these-tests';

/**
 * What still runs when the test ends in the middle: it would outlive it.
 *
 * @type {Set<() => void>}
 */
const running = new Set();
process.once('exit', () => {
  for (const end of [...running].reverse()) end(); // a folder after what uses it
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

/**
 * Starts a server as a separate process, on a port that the system picks, and waits until it
 * takes connections.
 *
 * @param {string[]} command
 * @param {{ cwd: URL, env?: Record<string, string | undefined> | undefined }} options
 */
export async function startServer([program = '', ...args], { cwd, env }) {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', CALLBACK_SECRET: SECRET, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate group, which ends as one: some programs are started by another.
    detached: true,
  });
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
  /** @param {NodeJS.Signals} name */
  const signal = (name) => {
    if (!isRunning() || child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch (error) {
      // It has ended, and Node.js hasn't noticed yet.
      if (Object(error).code !== 'ESRCH') throw error;
    }
  };
  /** Returns its exit code; null if a signal ended it. @param {NodeJS.Signals} name */
  const end = async (name) => {
    signal(name);
    return (await exited)[0];
  };

  /** @type {number | null} */
  let port = null;
  await until(() => {
    port = child.pid === undefined ? null : listeningPort(child.pid);
    return port !== null || !isRunning();
  }).catch(() => {}); // what it has printed says more
  if (!isRunning() || port === null) {
    await end('SIGKILL');
    throw new Error(`${program} ${args.join(' ')} did not start:\n${printed.join('\n')}`);
  }

  return {
    port,
    url: `http://127.0.0.1:${port}/callbacks/${SECRET}`,
    journal,
    printed,
    isRunning,
    signal,
    closeOutput() {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    /** Waits for a line of the journal, and empties it. */
    async take() {
      await until(() => journal.length > 0);
      return journal.splice(0);
    },
  };
}

/** Waits until something is true. @param {() => unknown} condition */
export async function until(condition) {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    assert(performance.now() < deadline, `waited in vain until ${condition}`);
    await sleep(10);
  }
}

/**
 * The status that a body is answered with.
 *
 * @param {string} url
 * @param {string | Uint8Array} body
 */
export async function statusOf(url, body) {
  const headers = { 'content-type': 'application/json' };
  const bytes = new Uint8Array(Buffer.from(body));
  return (await fetch(url, { method: 'POST', body: bytes, headers })).status;
}

/** A request up to its body. @param {number} length */
export const head = (length, method = 'POST') =>
  `${method} /callbacks/${SECRET} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\n\r\n`;

/** Opens a connection, and writes to it. @param {{ port: number }} server @param {string} text */
export async function begin({ port }, text) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}); // it may be reset
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

/**
 * On which port of IPv4 a process or one that it has started listens; null if on none. The kernel
 * knows it, whatever they print.
 *
 * @param {number} pid
 */
function listeningPort(pid) {
  /** @type {Map<string, number>} */
  const ports = new Map();
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state === '0A') ports.set(`socket:[${inode}]`, Number.parseInt(local.slice(9), 16));
  }
  const ids = [`${pid}`];
  for (const id of ids) {
    try {
      for (const file of readdirSync(`/proc/${id}/fd`)) {
        const port = ports.get(readlinkSync(`/proc/${id}/fd/${file}`));
        if (port !== undefined) return port;
      }
      for (const thread of readdirSync(`/proc/${id}/task`)) {
        const children = readFileSync(`/proc/${id}/task/${thread}/children`, 'latin1');
        ids.push(...children.split(' ').filter(Boolean));
      }
    } catch {} // it has ended, or the file is closed
  }
  return null;
}
