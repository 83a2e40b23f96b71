import type { IssueCode, NotificationIssue, NotificationType } from '../errors.js';
import { openBody } from '../internal/body.js';
import { nameOfPath } from '../internal/issues.js';
import type { Fields } from '../internal/objects.js';
import { escapeUnprintable } from '../internal/quote.js';
import type { PaymentNotification } from '../notification.js';
import type { ParseResult, RawBody } from '../parse.js';
import { SAMPLES, WITHDRAWAL_SAMPLE } from '../wire/sample.js';
import { type Input, isBlank } from './input.js';
import { truncate } from './redact.js';

/** Bodies with the same issue in the same field, `body` for a body as a whole. */
export interface Kind {
  readonly verdict: 'refused' | 'warnings';
  readonly code: IssueCode;
  readonly field: string;
  count: number;
  /** File and line of the first body, such as `archive.ndjson:2`, and its issue. */
  readonly first: string;
  readonly message: string;
  readonly examples: { readonly place: string; readonly body: string }[];
}

/** Bodies with the same unknown field. */
export interface UnknownField {
  /** Escaped and truncated. The name of a nested field is `txAddressOwner.country`. */
  readonly name: string;
  count: number;
  /** File and line of the first body. */
  readonly first: string;
}

/** `bodies` doesn't include the blank lines. */
export type Counts = Record<'bodies' | 'blank' | 'valid' | Kind['verdict'], number>;

/** What `check` has found in the bodies so far. */
export interface Tally {
  readonly counts: Readonly<Counts>;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly unknownFields: ReadonlyMap<string, UnknownField>;
  /** Returns the number of refused bodies without any identifier. */
  unidentified(): number;
  /** Counts a body, and returns whether it is refused. */
  add(input: Input): boolean;
}

/**
 * Maximum number of names that are counted. An archive may have names made of identifiers, which
 * would take all memory.
 */
const MAX_NAMES = 10_000;
/** Maximum length of a name that is counted, in characters. */
const MAX_NAME = 40;

/** @param show - How many bodies of each kind to keep as examples. */
export function createTally(
  parse: (body: RawBody) => ParseResult<PaymentNotification>,
  show: number,
): Tally {
  const counts: Counts = { bodies: 0, blank: 0, valid: 0, warnings: 0, refused: 0 };
  const kinds = new Map<string, Kind>();
  const unknownFields = new Map<string, UnknownField>();
  let unidentified = 0;

  const addIssue = (
    { label, body }: Input,
    verdict: Kind['verdict'],
    { code, path, message }: NotificationIssue,
  ): void => {
    const field = nameOfPath(path);
    const id = `${verdict} ${code} ${field}`;
    let kind = kinds.get(id);
    if (kind === undefined) {
      kind = { verdict, code, field, count: 0, first: label, message, examples: [] };
      kinds.set(id, kind);
    }
    kind.count += 1;
    if (kind.examples.length < show) kind.examples.push({ place: label, body: `${body}` });
  };

  const addUnknownField = (label: string, path: string): void => {
    const name = escapeUnprintable(truncate(path, MAX_NAME));
    const known = unknownFields.get(name);
    if (known !== undefined) known.count += 1;
    else if (unknownFields.size < MAX_NAMES) {
      unknownFields.set(name, { name, count: 1, first: label });
    }
  };

  return {
    counts,
    kinds,
    unknownFields,
    unidentified: () => unidentified,
    add(input) {
      const { success, notification, error } = parse(input.body);
      if (!success && isBlank(input)) {
        counts.blank += 1;
        return false;
      }
      counts.bodies += 1;
      const issues = success ? notification.warnings : error.issues;
      const verdict = success ? 'warnings' : 'refused';
      counts[issues.length === 0 ? 'valid' : verdict] += 1;
      if (!success && Object.keys(error.reference).length === 0) unidentified += 1;
      for (const issue of issues) addIssue(input, verdict, issue);
      const paths = success
        ? unknownFieldsOf(notification)
        : unknownFieldsIn(openBody(input.body).fields ?? {}, error.notificationType);
      for (const path of paths) addUnknownField(input.label, path);
      return !success;
    },
  };
}

/** Additional fields include the known ones that could not be read. */
function unknownFieldsOf(notification: PaymentNotification): string[] {
  const { type, additionalFields } = notification;
  if (type === 'deposit.received') return unknownFieldsIn(additionalFields, type);
  const { txAddressOwner } = notification;
  const fields = { ...additionalFields, txAddressOwner: txAddressOwner?.additionalFields };
  return unknownFieldsIn(fields, type);
}

/** A refused body may have a known field under a new name. */
function unknownFieldsIn(fields: Fields, type: NotificationType | null): string[] {
  if (type === null) return [];
  const names = Object.keys(fields).filter((name) => !Object.hasOwn(SAMPLES[type], name));
  const { txAddressOwner: owner } = fields;
  if (type === 'deposit.received' || !isObject(owner)) return names;
  const { txAddressOwner: known } = WITHDRAWAL_SAMPLE;
  const nested = Object.keys(owner).filter((name) => !Object.hasOwn(Object(known), name));
  return [...names, ...nested.map((name) => `txAddressOwner.${name}`)];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
