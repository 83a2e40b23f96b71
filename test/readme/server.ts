import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { app } from './express.js';

const server = http.createServer(app).listen(0, '127.0.0.1');
server.unref();
await new Promise((resolve) => server.once('listening', resolve));

/** Where the Express handler of the README listens. */
export const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`;
