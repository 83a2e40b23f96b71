// What the page knows of the package. scripts/inspector.ts puts it here.
import type { NotificationType } from '../src/parser/errors';

interface Sample {
  readonly label: string;
  readonly text: string;
}

/** By the type of the notification and the name of the field, with code in backquotes. */
type Meanings = Readonly<Record<NotificationType, Readonly<Record<string, string>>>>;

declare const DATA: { readonly samples: readonly Sample[]; readonly meanings: Meanings };

export const { samples: SAMPLES, meanings: MEANINGS } = DATA;
