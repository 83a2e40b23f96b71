import { keepRefused } from './ledger.js';

/** @import { StandardSchemaV1 } from '@standard-schema/spec' */
/** @import { FastifyReply, FastifyRequest } from 'fastify' */
/** @import { Database } from './database.js' */

/**
 * A route for bodies of any Standard Schema, this package's or one of yours. It hands on what the
 * schema makes of the raw body, typed by the schema, and keeps what it refuses.
 *
 * @template T
 * @param {Database} database
 * @param {StandardSchemaV1<unknown, T>} schema
 * @param {(value: T, body: Buffer) => Promise<string>} handle
 */
export function standardRoute(database, schema, handle) {
  return async (/** @type {FastifyRequest} */ request, /** @type {FastifyReply} */ reply) => {
    const body = /** @type {Buffer | undefined} */ (request.body) ?? Buffer.alloc(0);
    const result = await schema['~standard'].validate(body);
    if (!result.issues) return reply.send(await handle(result.value, body));
    const messages = result.issues.map(({ message }) => message);
    await keepRefused(database, body, messages.join('; '));
    return reply.code(400).send(messages);
  };
}
