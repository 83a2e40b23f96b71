import type { OpenBody } from '../parser/body.js';
import { readMembers } from '../shared/members.js';

/** Finds the names that were sent more than once. */
export function findRepeated({ text }: OpenBody): string[] {
  const found = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of readMembers(text)) (found.has(name) ? repeated : found).add(name);
  return [...repeated];
}
