/** A body to save, and why. */
export interface SavedBody {
  /** `retry`: the receiver tries it again. `review`: someone decides. */
  readonly to: 'retry' | 'review';
  /**
   * A file name without an ending, of letters, digits, `.`, `_` and `-`: the key or `refused`, and
   * a part of the body's SHA-256. The same body always has the same name.
   */
  readonly name: string;
  /** The raw body, or the start of one over 64 KiB. */
  readonly body: Uint8Array;
  /** The event's `idempotencyKey`; null if the body was refused. */
  readonly key: string | null;
  /** Why it is saved: the message of an error. */
  readonly reason: string;
}

/**
 * Keeps bodies that can't be settled. `createStore` of `payment-notifications/store` returns one
 * for a folder. For a bucket or a table, write these four functions.
 */
export interface Store {
  /**
   * Saves a body, and resolves once it is durable. If the same body is saved again, it stays one,
   * with its last reason.
   */
  readonly save: (saved: SavedBody) => Promise<unknown>;
  /** Lists the names of the bodies in `retry`, if possible the oldest first. */
  readonly list: () => Promise<readonly string[]>;
  /** Reads a body in `retry`; null if it is missing. */
  readonly read: (name: string) => Promise<Uint8Array | null>;
  /** Removes a body from `retry`, if it is there. */
  readonly remove: (name: string) => Promise<unknown>;
}

/** Enough that nobody can make another body of the same name as a given one. */
const DIGEST_LENGTH = 16;

/** Returns the name under which a body is saved. Windows allows no colon in it. */
export async function nameOf(prefix: string, body: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(body)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${prefix.replaceAll(':', '.')}.${hex.slice(0, DIGEST_LENGTH)}`;
}
