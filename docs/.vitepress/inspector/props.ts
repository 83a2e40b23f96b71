// What the page is given when it is built.
import type { fieldMeanings } from '../../../scripts/pages/fields.js';

export interface InspectorProps {
  readonly sampleGroups: readonly SampleGroup[];
  readonly meanings: Meanings;
}

/** By the type of the notification and the name of the field. */
export type Meanings = ReturnType<typeof fieldMeanings>;

/** Bodies to try the page with. */
export interface SampleGroup {
  readonly label: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly id: string;
  readonly shows: string;
  readonly body: string;
}

/** The labels of the samples that are one click away. The page starts with the first one. */
export const QUICK = {
  'deposit-received/sample': 'A deposit',
  'deposit-received/eighteen-decimals': '18 decimals',
  'withdrawal-broadcast/tag-with-leading-zeros': 'A destination tag',
  'invalid/many-faults': 'A faulty body',
} as const;
