// What the page knows of the package. scripts/inspector.ts puts it here.
import type { NotificationType } from '../src/parser/errors';

/** By the type of the notification and the name of the field, with code in backquotes. */
type Meanings = Readonly<Record<NotificationType, Readonly<Record<string, string>>>>;

declare const DATA: {
  readonly samples: readonly { readonly label: string; readonly text: string }[];
  readonly meanings: Meanings;
};

export const { samples: SAMPLE_BODIES, meanings: MEANINGS } = DATA;
