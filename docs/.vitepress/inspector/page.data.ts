// What the page shows of the project: the fixtures as samples, and the meaning of each field. Made
// while it is built.
import { isUtf8 } from 'node:buffer';
import { fixtures } from '../../../fixtures/index.js';
import { fieldMeanings } from '../../../scripts/pages/fields.js';
import type { InspectorProps, SampleGroup } from './props';

declare const data: InspectorProps;

export { data };

const LONG = 8 * 1024;
const GROUPS = {
  'deposit-received/': 'Deposits',
  'withdrawal-broadcast/': 'Withdrawals',
  'invalid/': 'Faulty bodies',
};

export default {
  watch: ['../../../fixtures/**/*.json', '../../../src/*.ts'],
  load: (): InspectorProps => ({ sampleGroups: sampleGroups(), meanings: fieldMeanings() }),
};

function sampleGroups(): SampleGroup[] {
  return Object.entries(GROUPS).map(([folder, label]) => ({
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
  }));
}
