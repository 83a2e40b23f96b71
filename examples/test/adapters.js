// The ledgers of the page Databases, and its adapters, as files: for the tests and the compiler.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { copied, filesOn } from './code.js';
import { bin } from './programs.js';

export const PAGE = fs.readFileSync(new URL('../../docs/databases.md', import.meta.url), 'utf8');

/** The client of each driver or ORM, which a merchant has already. */
const CLIENTS = {
  'postgres.js': `import postgres from 'postgres';
const url = new URL(process.env.DATABASE_URL ?? '');
const host = url.searchParams.get('host') ?? ''; // it doesn't look for a socket there itself
const sql = postgres({ host, username: url.username, database: url.pathname.slice(1) });
export const end = () => sql.end();`,
  'Drizzle (pg)': `import { drizzle } from 'drizzle-orm/node-postgres';
const db = drizzle(process.env.DATABASE_URL ?? '');
export const end = () => db.$client.end();`,
  'Prisma 7': `import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './prisma/client.ts';
const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL ?? '' });
const prisma = new PrismaClient({ adapter });
export const end = () => prisma.$disconnect();`,
  TypeORM: `import { DataSource } from 'typeorm';
const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL ?? '' });
await dataSource.initialize();
export const end = () => dataSource.destroy();`,
  Knex: `import createKnex from 'knex';
const knex = createKnex({ client: 'pg', connection: process.env.DATABASE_URL ?? '' });
export const end = () => knex.destroy();`,
};

/** The drivers and ORMs of the page. */
export const DRIVERS = Object.keys(CLIENTS);

/** The file of an adapter. @param {string} driver */
export const fileOf = (driver) => `adapter-${driver.toLowerCase().replace(/\W.*/, '')}.ts`;

/** Writes all files of the page, with what they import. @param {URL} folder */
export function writeDatabases(folder) {
  for (const [name, code] of filesOn('docs/databases.md')) {
    if (!name.endsWith('.ts')) continue;
    const own = new URL(`${name}/../`, folder);
    fs.mkdirSync(own, { recursive: true });
    fs.writeFileSync(new URL('ledger.ts', own), code);
    for (const file of ['settle.mjs', 'postgres.mjs', 'mysql.mjs', 'sqlite.mjs'])
      fs.writeFileSync(new URL(file, own), copied(file));
  }
  writeAdapters(new URL('adapters/', folder));
}

/** Writes a file for each adapter of the page, and what they import. @param {URL} folder */
export function writeAdapters(folder) {
  fs.mkdirSync(folder, { recursive: true });
  for (const file of ['settle.mjs', 'postgres.mjs'])
    fs.writeFileSync(new URL(file, folder), copied(file));
  const [, section = ''] = /^## Drivers and ORMs\n(.*?)^## /ms.exec(PAGE) ?? [];
  const rows = [...section.matchAll(/^\| (.+?) \| `(.+)` \|$/gm)];
  assert.deepEqual(
    rows.map(([, driver]) => driver),
    DRIVERS,
  );
  for (const [, driver = '', adapter] of rows) {
    const code = `import { createSettle } from './settle.mjs';
${Reflect.get(CLIENTS, driver)}
export const settleOnce = createSettle(${adapter});
`;
    fs.writeFileSync(new URL(fileOf(driver), folder), code);
  }
  // Prisma makes its client of a schema. The models don't matter, because the SQL is ours.
  const schema = `generator client {
  provider = "prisma-client"
  output = "./prisma"
}
datasource db {
  provider = "postgresql"
}
model event {
  key String @id
}
`;
  fs.writeFileSync(new URL('schema.prisma', folder), schema);
  const env = { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' };
  execFileSync(bin('prisma'), ['generate'], { cwd: folder, env, stdio: 'ignore' });
}
