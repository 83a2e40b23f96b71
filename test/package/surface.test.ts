import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, inject, test } from 'vitest';
import { output } from './command.js';

/** One line an entry. A name that goes, or changes, breaks somebody's build: that is a major release. */
const ENTRIES = [
  {
    entry: 'payment-notifications',
    values: [
      'Decimal',
      'DepositReceivedSchema',
      'DepositStatus',
      'NotificationError',
      'NotificationSchema',
      'RateType',
      'WithdrawalBroadcastSchema',
      'WithdrawalStatus',
      'idempotencyKey',
      'isNotificationError',
      'joinToTxAddress',
      'notificationFromJSON',
      'parseDepositReceived',
      'parseNotification',
      'parseWithdrawalBroadcast',
      'safeParseDepositReceived',
      'safeParseNotification',
      'safeParseWithdrawalBroadcast',
      'splitToTxAddress',
    ],
    types: [
      'BodyParser',
      'DepositReceived',
      'IssueCode',
      'NotificationErrorDetails',
      'NotificationIssue',
      'NotificationReference',
      'NotificationType',
      'ParseResult',
      'PaymentNotification',
      'RawBody',
      'TxAddress',
      'TxAddressOwner',
      'WithdrawalBlocked',
      'WithdrawalBroadcast',
      'WithdrawalCompleted',
      'WithdrawalFailed',
    ],
  },
  {
    entry: 'payment-notifications/valibot',
    values: [
      'AmountSchema',
      'DepositReceivedSchema',
      'NotificationSchema',
      'TimestampSchema',
      'TxAddressSchema',
      'WithdrawalBroadcastSchema',
    ],
    types: [],
  },
  {
    entry: 'payment-notifications/inspect',
    values: ['inspectBody'],
    types: [
      'InspectOptions',
      'InspectedField',
      'Inspection',
      'JsonFault',
      'Quirk',
      'QuirkCode',
      'Verdict',
    ],
  },
  {
    entry: 'payment-notifications/testing',
    values: [
      'DEPOSIT_RETRY',
      'bodyVariants',
      'deliver',
      'depositReceivedBody',
      'faultyBodies',
      'virtualClock',
      'withdrawalBroadcastBody',
    ],
    types: [
      'AttemptOptions',
      'BodyOptions',
      'BodyVariant',
      'Clock',
      'DeliverOptions',
      'Delivery',
      'DeliveryAttempt',
      'DeliveryFetch',
      'DeliveryOutcome',
      'DeliveryRequest',
      'DeliverySignal',
      'DepositReceivedOverrides',
      'EndpointResponse',
      'FaultyBody',
      'MinimalSignal',
      'RetryPolicy',
      'WithdrawalBroadcastOverrides',
    ],
  },
];

const consumer = inject('consumer');
const dist = join(consumer, 'node_modules/payment-notifications/dist');

describe.each(ENTRIES)('$entry', ({ entry, values, types }) => {
  const [, declarations = 'index'] = entry.split('/');

  test.each([
    ['imported', 'module', `import * as entry from '${entry}';`],
    ['required', 'commonjs', `const entry = require('${entry}');`],
  ])('has these values, %s', async (_title, type, load) => {
    const script = `${load} console.log(JSON.stringify(Object.keys(entry).sort()));`;
    const printed = await output(
      process.execPath,
      [`--input-type=${type}`, '-e', script],
      consumer,
    );
    expect(JSON.parse(printed)).toStrictEqual(values);
  });

  test.each(['.d.ts', '.d.cts'])(
    'declares the same values, and these types, in %s',
    (extension) => {
      expect(exportsOf(`${declarations}${extension}`)).toStrictEqual({ values, types });
    },
  );
});

test('the declarations are those that were agreed on', async () => {
  const declared = declarationsOf('.d.ts');
  // Whoever means a change runs `npm run test:package -- --update` and reviews what it did to this file.
  await expect(declared).toMatchFileSnapshot('declarations.txt');
  expect(declarationsOf('.d.cts')).toBe(declared);
});

/** The names that a declaration file exports, whatever file of the package they come from. */
function exportsOf(file: string): { values: string[]; types: string[] } {
  const path = join(dist, file);
  const program = ts.createProgram([path], { moduleResolution: ts.ModuleResolutionKind.Bundler });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is no module`);
  const names: { values: string[]; types: string[] } = { values: [], types: [] };
  for (const name of checker.getExportsOfModule(module)) {
    const isAlias = (name.flags & ts.SymbolFlags.Alias) !== 0;
    const { flags } = isAlias ? checker.getAliasedSymbol(name) : name;
    names[flags & ts.SymbolFlags.Value ? 'values' : 'types'].push(name.name);
  }
  return { values: names.values.sort(), types: names.types.sort() };
}

/**
 * All declarations of the package without their comments, in alphabetical order, so that it doesn't
 * matter how the build has spread them over files.
 */
function declarationsOf(extension: string): string {
  const printer = ts.createPrinter({ removeComments: true });
  const declared = new Set<string>();
  for (const file of readdirSync(dist).filter((name) => name.endsWith(extension))) {
    const text = ts.sys.readFile(join(dist, file)) ?? '';
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
    for (const statement of source.statements) {
      const printed = printer.printNode(ts.EmitHint.Unspecified, statement, source);
      if (ts.isExportDeclaration(statement) || /from "\.\//.test(printed)) continue;
      declared.add(printed);
    }
  }
  return `${[...declared].sort().join('\n')}\n`;
}
