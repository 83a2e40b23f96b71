import { escapeUnprintable } from '../parser/messages.js';
import { within } from '../shared/deadline.js';

/**
 * Where a webhook is saved:
 *
 * - `progress`: a receiver works on it now. This is a claim: while it is fresh, no round of another
 *   process takes the webhook.
 * - `retry`: the receiver tries it again.
 * - `review`: someone decides.
 */
export type Place = 'progress' | 'retry' | 'review';

/** All places, from the lowest to the highest; see `Store.save`. */
export const PLACES: readonly Place[] = ['progress', 'retry', 'review'];

/** A body to save, and where. */
export interface SavedBody {
  readonly to: Place;
  /**
   * A file name without an extension: the key or `refused`, and a part of the body's SHA-256. It
   * has only letters, digits, `.`, `_` and `-`. The same body always has the same name.
   */
  readonly name: string;
  /** The raw body, or the start of one over 64 KiB. */
  readonly body: Uint8Array;
  /** The event's `idempotencyKey`; null if the body was refused. */
  readonly key: string | null;
  /** Why it is there, in one printable line, such as an error's message. Empty in `progress`. */
  readonly reason: string;
  /**
   * The entry of `list` that a round claims now; missing for a delivery. If the body is no longer
   * as it was listed, another process was first. A store may then save nothing, and resolve to
   * false.
   */
  readonly from?: WaitingBody | undefined;
}

/** A body in `progress` or `retry`. */
export interface WaitingBody {
  readonly name: string;
  readonly place: 'progress' | 'retry';
  /** When the claim began; in `retry`, when the body was last tried. */
  readonly since: Date;
  /** How often it was claimed without an end. Duplicates don't count. In `retry`, 0. */
  readonly tries: number;
}

/**
 * Saves webhooks until they are settled. `createStore` of `payment-notifications/store` returns a
 * store in a folder. For a bucket or a table, write these four functions.
 */
export interface Store {
  /**
   * Saves a body, and resolves once it is durable. A whole body is never replaced by a half one.
   *
   * - To `progress`: a claim begins, with the current time. With `from`, its `tries` are one more
   *   than those. Without, they are at least 1, and no fewer than those of an earlier claim, and a
   *   body in `review` stays there without a claim.
   * - To `retry`: the claim ends. A body that is in `review` as well stays there, with the new
   *   reason.
   * - To `review`: the claim ends, and the body is no longer in `retry`.
   *
   * If one call can't move a body, write it first, and then delete it only from lower places:
   * `progress` is the lowest, and `review` the highest. Otherwise, two deliveries and a kill may
   * lose it.
   */
  readonly save: (saved: SavedBody) => Promise<unknown>;
  /** Lists the bodies in `progress` and in `retry`, in any order. A name may be in both. */
  readonly list: () => Promise<readonly WaitingBody[]>;
  /** Reads a body in `retry`, or else in `progress`; null if it is in neither. */
  readonly read: (name: string) => Promise<Uint8Array | null>;
  /** Removes a body, wherever it is. */
  readonly remove: (name: string) => Promise<unknown>;
}

/** How long a store may take to save, read or remove a body, in milliseconds. */
export const MAX_STORING = 5000;
/** How long a store may take to list the bodies, of which there are many after a long outage. */
const MAX_LISTING = 30_000;

/** Gives each call of a store a time limit. The functions also reject if a call throws. */
export function guard(store: Store): Store {
  return {
    save: async (saved) => {
      const reason = escapeUnprintable(saved.reason);
      return within(MAX_STORING, 'store.save', store.save({ ...saved, reason }));
    },
    list: async () => within(MAX_LISTING, 'store.list', store.list()),
    read: async (name) => within(MAX_STORING, 'store.read', store.read(name)),
    remove: async (name) => within(MAX_STORING, 'store.remove', store.remove(name)),
  };
}

/** Long enough that a body with the name of a given one can't be made. */
const DIGEST_LENGTH = 16;
const WITH_DIGEST = /\.([\da-f]{16})$/;

/**
 * Returns the name under which a body is saved. Windows allows no colon in it. In Node.js, this
 * waits for a thread that files use as well.
 */
export async function storeName(prefix: string, body: Uint8Array): Promise<string> {
  return `${prefix.replaceAll(':', '.')}.${await digestOf(body)}`;
}

/** Whether a body has the digest of its name. A name that someone has chosen may have none. */
export async function isUnchanged(name: string, body: Uint8Array): Promise<boolean> {
  const [, digest] = WITH_DIGEST.exec(name) ?? [];
  return digest === undefined || digest === (await digestOf(body));
}

async function digestOf(body: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(body)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.slice(0, DIGEST_LENGTH);
}
