import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toCurl } from '../docs/.vitepress/inspector/curl';

const folder = mkdtempSync(join(tmpdir(), 'curl-'));
const received: { type: string | undefined; body: string }[] = [];
const server = createServer(async (request, response) => {
  const body = (await buffer(request)).toString('utf8');
  received.push({ type: request.headers['content-type'], body });
  response.end('ok');
});
let url = '';

beforeAll(async () => {
  writeFileSync(join(folder, 'secret'), 'a file of yours');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const BODIES = {
  plain: '{"a": "it\'s \\\\ `id` $(id) $HOME %s !! \\"äö€😀\\""}',
  'a file': '@secret',
  'several lines': '{\n  "a": 1,\r\n\t"b": "it\'s \\\\n !x"\n}\n',
  'control characters': `{"a":"${Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join('')}7\u007f\u009b1"}`,
  'what turns around what can be seen': '{"a":"\u202e\u2066\u2028 \ufeff"}',
  'a lone surrogate': '{"a":"\ud800"}',
  nothing: '',
  'what looks like an option': '--help',
};

test.each(Object.entries(BODIES))('the curl command posts %s as it is', async (_, body) => {
  const command = toCurl(body, url) ?? '';
  expect(command.slice(0, -1)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  received.length = 0;
  await promisify(execFile)('bash', ['-c', command], { cwd: folder });
  expect(received).toStrictEqual([
    { type: 'application/json', body: Buffer.from(body).toString() },
  ]);
});

test('pasted into a shell, no body types a command', async () => {
  // A terminal sends each character as a key: here Ctrl-C, which drops the line, and Ctrl-U.
  const body = `{"a":"\u0003\ntouch owned\n\u0015touch owned\r'\u0004"}`;
  const shell = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  received.length = 0;
  const output = text(shell.stdout);
  shell.stdin.write(toCurl(body, url));
  shell.stdin.end('exit\n');
  await output;
  expect(existsSync(join(folder, 'owned'))).toBe(false);
  expect(received.map((request) => request.body)).toStrictEqual([body]);
});

test('no command can post a body with a NUL', () => {
  expect(toCurl('{"a":"\0"}', url)).toBeNull();
});
