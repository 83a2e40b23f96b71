// The adapters of the page Databases as files, for the tests and the compiler.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copy, write } from './code.js';
import { bin } from './programs.js';

export const PAGE = readFileSync(new URL('../../docs/databases.md', import.meta.url), 'utf8');

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

/** The drivers and ORMs that are installed: with `.ci/run --full`, all of the page. */
export const DRIVERS = Object.keys(CLIENTS).filter(
  (driver) => process.env.FULL === 'true' || ['postgres.js', 'Knex'].includes(driver),
);

/** The file of an adapter. @param {string} driver */
export const fileOf = (driver) => `adapter-${driver.toLowerCase().replace(/\W.*/, '')}.ts`;

/** Writes a file for each adapter of the page, and what they import. @param {URL} folder */
export function writeAdapters(folder) {
  copy(folder, 'settle.mjs');
  const [, section = ''] = /^## Drivers and ORMs\n(.*?)^## /ms.exec(PAGE) ?? [];
  const rows = [...section.matchAll(/^\| (.+?) \| `(.+)` \|$/gm)];
  assert.deepEqual(
    rows.map(([, driver]) => driver),
    Object.keys(CLIENTS),
  );
  for (const [, driver = '', adapter] of rows) {
    if (!DRIVERS.includes(driver)) continue;
    const code = `import { createSettle } from './settle.mjs';
${Reflect.get(CLIENTS, driver)}
export const settleOnce = createSettle(${adapter});
`;
    write(folder, fileOf(driver), code);
  }
  if (!DRIVERS.includes('Prisma 7')) return;
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
  write(folder, 'schema.prisma', schema);
  const env = { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' };
  execFileSync(bin('prisma'), ['generate'], { cwd: folder, env, stdio: 'ignore' });
}
