import { once } from 'node:events';
import * as http2 from 'node:http2';
import { expect, test } from 'vitest';
import { DEPOSIT, listen, open, PASSED_ON } from './options.js';

const call = (port: number) => {
  const client = http2.connect(`http://127.0.0.1:${port}`);
  return { client, send: (path = '/') => client.request({ ':method': 'POST', ':path': path }) };
};

test('receives requests, and ends one that never ends, but not its connection', async () => {
  const { receiver, calls } = open();
  const { client, send } = call(await listen(http2.createServer(receiver.node)));
  const endless = send();
  let written = 0;
  const writeOn = () => {
    while (endless.write(Buffer.alloc(16_384))) written += 16_384;
  };
  endless.on('drain', writeOn).on('ready', writeOn).resume();
  const [headers] = await once(endless, 'response');
  expect(headers[':status']).toBe(413);
  const other = send();
  await once(endless, 'close');
  expect(written).toBeLessThan(5 * 1024 * 1024);
  other.end(DEPOSIT);
  const [next] = await once(other, 'response');
  expect(next[':status']).toBe(200);
  expect(calls).toStrictEqual([
    ['refused', expect.stringContaining('at most 65536 bytes'), null],
    PASSED_ON,
  ]);
  client.close();
});

test.each([
  ['latin1', 500],
  ['utf8', 200],
] as const)('reads a request whose encoding middleware has set: %s', async (encoding, status) => {
  const { receiver } = open();
  const server = http2.createServer((request, response) => {
    request.setEncoding(encoding);
    receiver.node(request, response);
  });
  const { client, send } = call(await listen(server));
  const [headers] = await once(send().end(DEPOSIT).resume(), 'response');
  expect(headers[':status']).toBe(status);
  client.close();
});

test('survives a sender that leaves before it is answered', async () => {
  const server = http2.createServer();
  const { client, send } = call(await listen(server));
  const sent = send()
    .end(DEPOSIT)
    .on('error', () => {});
  const [request, response] = await once(server, 'request');
  const { receiver, entries } = open({
    async onDepositReceived() {
      sent.close(http2.constants.NGHTTP2_CANCEL);
      await once(request, 'close');
    },
  });
  await receiver.node(request, response);
  expect(entries.map(({ outcome }) => outcome)).toStrictEqual(['settled']);
  client.close();
});
