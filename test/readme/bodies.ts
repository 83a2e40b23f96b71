import { readFileSync } from 'node:fs';

const bodyOf = (name: string) =>
  readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url));

export const depositBody = bodyOf('deposit-received/eighteen-decimals');
export const withdrawalBody = bodyOf('withdrawal-broadcast/tag-with-leading-zeros');
export const faultyBody = bodyOf('invalid/missing-fields');
