import { LATE, lateError, within } from '../shared/deadline.js';

/** A body to save, and why. */
export interface SavedBody {
  /** `retry`: the receiver tries it again. `review`: someone decides. */
  readonly to: 'retry' | 'review';
  /**
   * A file name without an ending, of letters, digits, `.`, `_` and `-`: the key or `refused`, and
   * a part of the body's SHA-256. The same body always has the same name. A body that was damaged
   * in `retry` keeps its name.
   */
  readonly name: string;
  /** The raw body, or the start of one over 64 KiB. */
  readonly body: Uint8Array;
  /** The event's `idempotencyKey`; null if the body was refused. */
  readonly key: string | null;
  /** Why it is saved, in one printable line: mostly the message of an error. */
  readonly reason: string;
}

/**
 * Keeps bodies that can't be settled. `createStore` of `payment-notifications/store` returns one
 * for a folder. For a bucket or a table, write these four functions. `retry` and `review` are two
 * places: a body that moves to `review` is saved there, and then removed from `retry`, under the
 * same name.
 */
export interface Store {
  /**
   * Saves a body, and resolves once it is durable. If the same body is saved again, there is still
   * only one, with the last reason.
   */
  readonly save: (saved: SavedBody) => Promise<unknown>;
  /** Lists the names of the bodies in `retry`, if possible the oldest first. */
  readonly list: () => Promise<readonly string[]>;
  /** Reads a body in `retry`; null if it is missing. */
  readonly read: (name: string) => Promise<Uint8Array | null>;
  /** Removes a body from `retry`, if it is there. A body of this name in `review` must stay. */
  readonly remove: (name: string) => Promise<unknown>;
}

/**
 * How long a store may take for one call, in milliseconds: not long, because a process that stops
 * waits for it. `list` has more time, because there are many bodies after a long outage.
 */
const MAX_TIMES = { save: 5000, list: 30_000, read: 5000, remove: 5000 };

/** Calls a function of a store, and rejects if it takes too long. */
export async function inTime<T>(name: keyof Store, call: () => Promise<T>): Promise<T> {
  const called = async () => call(); // it may throw without a promise
  const result = await within(MAX_TIMES[name], called());
  if (result === LATE) throw lateError(`store.${name}`, MAX_TIMES[name]);
  return result;
}

/** Long enough that a body with the name of a given one can't be made. */
const DIGEST_LENGTH = 16;

/**
 * Returns the name under which a body is saved. Windows allows no colon in it. In Node.js, this
 * waits for a thread that files use as well, so a disk that hangs delays it.
 */
export async function nameOf(prefix: string, body: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(body)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${prefix.replaceAll(':', '.')}.${hex.slice(0, DIGEST_LENGTH)}`;
}
