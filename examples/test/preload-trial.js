// Loaded into a trial before it starts: runs the SQL that is posted to a socket, because the
// database is in that process.
import { createServer } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { PGlite } from '@electric-sql/pglite';

const { exec } = PGlite.prototype;
PGlite.prototype.exec = async function (/** @type {string} */ schema) {
  PGlite.prototype.exec = exec;
  createServer(async (request, response) => {
    const { rows } = await this.query(await text(request));
    response.end(JSON.stringify(rows));
  }).listen(process.env.SQL_SOCKET);
  return this.exec(schema);
};
