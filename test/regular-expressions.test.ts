import { readdirSync, readFileSync } from 'node:fs';
import { isSafe } from 'redos-detector';
import ts from 'typescript';
import { expect, test } from 'vitest';

const FOLDER = new URL('../src/', import.meta.url);

/** Every regular expression of the source, as it stands there. */
const expressions = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const source = readFileSync(new URL(file, FOLDER), 'utf8');
    const found: { file: string; literal: string }[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) found.push({ file, literal: node.text });
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true));
    return found;
  });

test.each(expressions)('$literal in $file is matched in linear time', ({ literal }) => {
  const end = literal.lastIndexOf('/');
  expect(isSafe(new RegExp(literal.slice(1, end), literal.slice(end + 1))).safe).toBe(true);
});
