// Times the receiver on deposits, compared with handlers that are written by hand: they read the
// chunks, parse the JSON, and make a Decimal of each amount. With --check, fails if a target is
// missed by more than a quarter.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import process, { cpuUsage } from 'node:process';
import { fileURLToPath } from 'node:url';
import { createReceiver } from '../dist/receiver.js';
import { cases, floorOf } from './cases.js';

/** The highest ratio to the handler by hand that meets the target. */
const TARGETS = { receive: 1.3, fetch: null, node: 1.5 };
const TOLERANCE = 1.25;

const [PROCESSES, WARM_UP, ROUNDS] = [5, 40, 80];
/** Calls in a row, so that a batch takes milliseconds. */
const CALLS = 300;
/** Kept connections to each server. */
const CONNECTIONS = 6;

const [deposits] = cases;
const bodies = deposits.texts.map((text) => Buffer.from(text));
const parse = floorOf(deposits);
const SECRET = 'a-secret-of-the-benchmark';
const URL_PATH = `/callbacks/${SECRET}`;
const HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

const receiver = createReceiver({
  secret: SECRET,
  async onDepositReceived() {},
  async onWithdrawalBroadcast() {},
  async onRefused() {},
  async onError(_, { body }) {
    throw new Error(`failed: ${body}`);
  },
});

/** What a merchant would write: it checks nothing, and answers 500 by whatever throws. */
const byHand = {
  async settle() {},
  async receive(bytes) {
    await byHand.settle(parse(bytes.toString()));
    return { status: 200, text: 'ok' };
  },
  async fetch(request) {
    await byHand.settle(parse(await request.text()));
    return new Response('ok', { headers: HEADERS });
  },
  async node(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    await byHand.settle(parse(Buffer.concat(chunks).toString()));
    response.writeHead(200, HEADERS).end('ok');
  },
};

const [mode = 'report'] = process.argv.slice(2).filter((argument) => argument !== '--check');
if (mode === 'serve') serve();
else if (mode === 'measure') {
  console.log(JSON.stringify(await measure()));
  process.exit(); // the connections would keep it running
} else report();

/** The median of several processes, because the compiler decides differently in each. */
function report() {
  const args = [fileURLToPath(import.meta.url), 'measure'];
  const processes = Array.from({ length: PROCESSES }, () =>
    JSON.parse(execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })),
  );
  console.log('         µs by hand   µs ours   ratio   at most');
  for (const [name, limit] of Object.entries(TARGETS)) {
    const median = (key) => medianOf(processes.map((measured) => measured[name][key]));
    const [hand, ours] = [median('hand'), median('ours')].map((time) => time.toFixed(1));
    const ratio = median('ratio');
    const columns = [ours.padStart(7), ratio.toFixed(2).padStart(5), limit?.toFixed(2) ?? 'none'];
    console.log(`${name.padEnd(8)} ${hand.padStart(10)}   ${columns.join('   ')}`);
    const isMissed = limit !== null && ratio > limit * TOLERANCE;
    if (isMissed && process.argv.includes('--check')) process.exitCode = 1;
  }
}

async function measure() {
  const url = `http://127.0.0.1${URL_PATH}`;
  const receive = ({ receive }) =>
    batchOf(
      (body) => receive(body, URL_PATH),
      bodies,
      ({ status }) => status,
    );
  const fetch = ({ fetch }) => {
    const make = (body) => new Request(url, { method: 'POST', body });
    return batchOf(fetch, bodies, ({ status }) => status, make);
  };
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  const [ports] = await once(server, 'message');
  const node = await Promise.all(ports.map((port) => batchOn(server, port)));
  const measured = {
    receive: await compare(receive(byHand), receive(receiver)),
    fetch: await compare(fetch(byHand), fetch(receiver)),
    node: await compare(...node),
  };
  server.kill();
  return measured;
}

/** Two batches in turns: what the machine does at a time, it does to both. */
async function compare(runByHand, runOurs) {
  const times = { hand: [], ours: [] };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    // Each is the first in every other round.
    const turns = [
      ['hand', runByHand],
      ['ours', runOurs],
    ];
    for (const [name, run] of round % 2 === 0 ? turns : turns.reverse()) {
      const time = await run(round + WARM_UP);
      if (round >= 0) times[name].push(time);
    }
  }
  const ratios = times.ours.map((time, round) => time / times.hand[round]);
  return { hand: medianOf(times.hand), ours: medianOf(times.ours), ratio: medianOf(ratios) };
}

/** Calls a function in this process. Returns the CPU time of a call, in microseconds. */
function batchOf(run, inputs, statusOf, make = (body) => body) {
  return async (round) => {
    // Made before, since both get the same.
    const own = Array.from({ length: CALLS }, (_, call) =>
      make(inputs[(round * CALLS + call) % inputs.length]),
    );
    const start = cpuUsage();
    let sum = 0;
    for (const input of own) sum += statusOf(await run(input));
    const { user, system } = cpuUsage(start);
    if (sum !== 200 * CALLS) throw new Error('a body was not settled');
    return (user + system) / CALLS;
  };
}

/** Posts to a server in another process. Returns its CPU time for a request, in microseconds. */
async function batchOn(server, port) {
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const head = `POST ${URL_PATH} HTTP/1.1\r\nhost: merchant\r\ncontent-type: application/json\r\n`;
  const requests = bodies.map((body) =>
    Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), body]),
  );
  const usage = async () => {
    server.send('usage');
    const [{ user, system }] = await once(server, 'message');
    return user + system;
  };
  return async (round) => {
    const start = await usage();
    await Promise.all(
      sockets.map(async (socket, lane) => {
        for (let call = lane; call < CALLS; call += CONNECTIONS) {
          socket.write(requests[(round * CALLS + call) % requests.length]);
          const [answer] = await once(socket, 'data');
          if (!answer.includes(' 200 ')) throw new Error(`a body was not settled: ${answer}`);
        }
      }),
    );
    return ((await usage()) - start) / CALLS;
  };
}

async function serve() {
  const servers = [byHand, receiver].map(({ node }) => createServer(node).listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  process.on('message', () => process.send(cpuUsage()));
  process.on('disconnect', () => process.exit());
  process.send(servers.map((server) => server.address().port));
}

function medianOf(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
