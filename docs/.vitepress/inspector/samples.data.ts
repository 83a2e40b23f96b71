// The fixtures as samples to try the page with: made while the site is built, as bodies alone.
import { isUtf8 } from 'node:buffer';
import { fixtures } from '../../../fixtures/index.js';

export interface SampleGroup {
  readonly label: string;
  readonly samples: readonly {
    readonly id: string;
    readonly shows: string;
    readonly body: string;
  }[];
}

declare const data: readonly SampleGroup[];

export { data };

const LONG = 8 * 1024;
const GROUPS = {
  'deposit-received/': 'Deposits',
  'withdrawal-broadcast/': 'Withdrawals',
  'invalid/': 'Faulty bodies',
};

export default {
  watch: ['../../../fixtures/**/*.json'],
  load: (): SampleGroup[] =>
    Object.entries(GROUPS).map(([folder, label]) => ({
      label,
      samples: fixtures
        // A long body shows only its length, and a body that is not UTF-8 is not text.
        .filter(({ id, body }) => id.startsWith(folder) && isUtf8(body) && body.length < LONG)
        // A menu shows no code.
        .map(({ id, shows, body }) => ({
          id,
          shows: shows.replace(/`|\.$/g, ''),
          body: body.toString(),
        })),
    })),
};
