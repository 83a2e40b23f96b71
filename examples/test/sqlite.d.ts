/** What sqlite.mjs and its tests use of a module that Node.js 20 doesn't have. */
declare module 'node:sqlite' {
  // biome-ignore lint/suspicious/noExplicitAny: the columns depend on the statement
  type Row = any;

  export class DatabaseSync {
    constructor(path: string);
    exec(sql: string): void;
    prepare(sql: string): {
      all(...values: unknown[]): Row[];
      get(...values: unknown[]): Row;
      run(...values: unknown[]): unknown;
    };
  }
}
