// The fixtures, to try the page with: made while the site is built, as bodies alone.
import { isUtf8 } from 'node:buffer';
import { fixtures } from '../../../fixtures/index.js';

export interface Sample {
  readonly id: string;
  readonly shows: string;
  readonly body: string;
}

declare const data: readonly Sample[];

export { data };

const LONG = 8 * 1024;

export default {
  watch: ['../../../fixtures/**/*.json'],
  load: (): readonly Sample[] =>
    fixtures
      // A long body shows nothing but its length, and one that is not UTF-8 is no text.
      .filter(({ body }) => isUtf8(body) && body.length < LONG)
      // In a menu, there is no code.
      .map(({ id, shows, body }) => ({
        id,
        shows: shows.replace(/`|\.$/g, ''),
        body: body.toString(),
      })),
};
