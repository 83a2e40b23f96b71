import { once } from 'node:events';
import * as http2 from 'node:http2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DEPOSIT, listen, open, PASSED_ON, SECRET } from './setup.js';

/** Opens a connection, on which each call sends the head of a request. */
async function callTo(server: http2.Http2Server) {
  const client = http2.connect(`http://127.0.0.1:${await listen(server)}`);
  onTestFinished(() => client.close());
  return () => client.request({ ':method': 'POST', ':path': '/' });
}

test('receives requests, and ends one that never ends, but not its connection', async () => {
  const { receiver, calls } = open();
  const send = await callTo(http2.createServer(receiver.node));
  const endless = send();
  const writeOn = () => {
    while (endless.write(Buffer.alloc(16_384)));
  };
  endless.on('drain', writeOn).on('ready', writeOn).resume();
  const [headers] = await once(endless, 'response');
  expect(headers[':status']).toBe(413);
  const other = send();
  await once(endless, 'close');
  const [next] = await once(other.end(DEPOSIT), 'response');
  expect(next[':status']).toBe(200);
  expect(calls.at(-1)).toStrictEqual(PASSED_ON);
});

test('turns a stranger away without a header that HTTP/2 lacks, of which Node.js warns', async () => {
  const warn = vi.spyOn(process, 'emitWarning');
  onTestFinished(() => warn.mockRestore());
  const server = http2.createServer(open({ secret: SECRET }).receiver.node);
  const [headers] = await once((await callTo(server))().end(DEPOSIT).resume(), 'response');
  expect([headers[':status'], warn.mock.calls]).toStrictEqual([404, []]);
});
