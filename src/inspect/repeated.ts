import type { OpenBody } from '../parser/body.js';
import { readMembers } from '../shared/members.js';

/** Finds the names that were sent more than once. */
export function findRepeated({ fields, text }: OpenBody): string[] {
  // Each name has a colon, so a count shows for most bodies that none is repeated. Reading the
  // members takes longer than parsing.
  if (countColons(text) === countNames(fields)) return [];
  const found = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of readMembers(text)) (found.has(name) ? repeated : found).add(name);
  return [...repeated];
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

/** Counts the names of an object and of the objects in it; NaN for an array or more levels. */
function countNames(fields: object, levels = 1): number {
  let count = 0;
  for (const value of Object.values(fields)) {
    count += 1;
    if (typeof value !== 'object' || value === null) continue;
    count += levels === 0 || Array.isArray(value) ? Number.NaN : countNames(value, levels - 1);
  }
  return count;
}
