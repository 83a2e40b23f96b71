import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => void vi.unstubAllGlobals());

/** What Jest's jsdom lacks. */
const MISSING = ['TextDecoder', 'TextEncoder', 'Request', 'Response', 'ReadableStream', 'fetch'];

test.each(['', '/valibot', '/receiver', '/store', '/inspect', '/testing'])(
  'payment-notifications%s can be imported where globals are missing',
  async (entry) => {
    for (const name of MISSING) vi.stubGlobal(name, undefined);
    vi.resetModules();
    expect(await import(`payment-notifications${entry}`)).toBeDefined();
  },
);

test('bytes without a TextDecoder are no fault of the body', async () => {
  vi.stubGlobal('TextDecoder', undefined);
  vi.resetModules();
  const { safeParseDepositReceived } = await import('payment-notifications');
  expect(safeParseDepositReceived('{}').success).toBe(false);
  expect(() => safeParseDepositReceived(Buffer.from('{}'))).toThrow(/TextDecoder/);
});

/** The floors of the source, from the ground up: a file may import those of its floor and below. */
const FLOORS = [
  /^parser\/(errors|enums|messages)$/,
  /^parser\/values\//,
  /^parser\/(objects|json|json-syntax|body|rules|read)$/,
  /^parser\/(spelling|deposit-received|withdrawal-broadcast|notification)$/,
  /^parser\/parse$/,
  /^(index|valibot|shared\/.+)$/,
  /^(receiver|store|testing|inspect)\//,
  /^cli\//,
];

describe('inside src', () => {
  const source = new URL('../src/', import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replaceAll('\\', '/').replace(/\.ts$/, ''));
  const imports = new Map(files.map((file) => [file, importsOf(file)]));

  function importsOf(file: string): string[] {
    const text = readFileSync(new URL(`${file}.ts`, source), 'utf8');
    const found = text.matchAll(/^(?:import|export)\b[^;]*? from '(\.[^']*)\.js';$/gm);
    return [...found].map(([, to = '']) => posix.join(posix.dirname(file), to));
  }

  const floorOf = (file: string) => FLOORS.findIndex((floor) => floor.test(file));

  test('every file has a floor, and no import points up', () => {
    expect(files.filter((file) => floorOf(file) === -1)).toStrictEqual([]);
    const up = [...imports].flatMap(([file, names]) =>
      names.filter((to) => floorOf(to) > floorOf(file)).map((to) => `${file} -> ${to}`),
    );
    expect(up).toStrictEqual([]);
    // The imports are found.
    expect(imports.get('index')).toContain('parser/values/amount');
  });
});
