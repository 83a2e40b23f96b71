import fastify from 'fastify';
import { NotificationSchema, safeParseNotification } from 'payment-notifications';
import { openEmbedded, openServer } from './database.js';
import { createTables, keepRefused, report, settleOnce } from './ledger.js';
import { standardRoute } from './standard-route.js';

/** @import { FastifyError } from 'fastify' */
/** @import { DatabaseError } from 'pg' */

const { DATABASE_URL, DATA_FOLDER = './merchant-data', PORT = '3000' } = process.env;
const database = DATABASE_URL ? openServer(DATABASE_URL) : openEmbedded(DATA_FOLDER);
await createTables(database);

const app = fastify();
app.removeAllContentTypeParsers(); // bodies stay bytes: no JSON.parse touches a digit
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

// Your check of where a callback comes from goes here, in front of the parser.

app.post('/callbacks', async (request, reply) => {
  const body = /** @type {Buffer | undefined} */ (request.body) ?? Buffer.alloc(0);
  const result = safeParseNotification(body);
  if (!result.success) {
    await keepRefused(database, body, result.error.message);
    return reply.code(400).send(result.error.issues.map(({ code }) => code));
  }
  return reply.send(await settleOnce(database, result.notification, body));
});

// The same by way of the Standard Schema interface, onto the same ledger.
app.post(
  '/callbacks/standard',
  standardRoute(database, NotificationSchema, (notification, body) =>
    settleOnce(database, notification, body),
  ),
);

// For you alone: put your login in front of it.
app.get('/', async (_request, reply) => {
  reply.type('application/json').send(JSON.stringify(await report(database), null, 2));
});

app.setErrorHandler(async (/** @type {DatabaseError & FastifyError} */ error, request, reply) => {
  console.error(error.message);
  // 500 has a deposit delivered again.
  if (!/^(22|54)...$/.test(error.code)) return reply.code(error.statusCode ?? 500).send('error');
  // What no column can hold (a NUL in an identifier, say) will not fit the next time, either.
  await keepRefused(database, /** @type {Buffer} */ (request.body), error.message);
  return reply.code(400).send(['not_storable']);
});

app.addHook('onClose', () => database.close());
process.once('SIGTERM', () => app.close());
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
console.log(`Balances and refused bodies: http://127.0.0.1:${PORT}/`);
