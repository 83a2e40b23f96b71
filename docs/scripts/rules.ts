// The tables of rules, for the page that shows them: they are no entry of the package.
export * from '../../scripts/schemas/tables.ts';
export { nonNegativeAmount } from '../../src/internal/field-types.js';
