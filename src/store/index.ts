import { resolve } from 'node:path';
import { quote } from '../parser/messages.js';
import type { Store } from '../receiver/store.js';
import { messageOf } from '../shared/thrown.js';
import { createFolderStore } from './folder.js';

export type { Place, SavedBody, Store, WaitingBody } from '../receiver/store.js';

/**
 * Creates a store in a folder, for a receiver in Node.js, Bun or Deno. Each webhook that isn't
 * settled is a `.json` file in one of three folders, with the time of its first arrival:
 *
 * - `progress`: its function is called now. If its process ends, another one tries it again later.
 * - `retry`: the receiver tries it again.
 * - `review`: someone decides. To retry a webhook, move its `.json` file to `retry`. To discard it,
 *   delete its files.
 *
 * A `.txt` file next to the `.json` file contains the reason. In `progress`, it contains the number
 * of the try.
 *
 * Several processes may share the folder, and so may receivers for one type each. They must have
 * the same function for a type, or none, and the same `timeoutMs`. Two processes may then settle
 * the same webhook, and your key in the transaction makes that safe. Two brands need two folders,
 * because each would settle the other's webhooks.
 *
 * @param folder - A folder on a persistent disk. It is created if it is missing, with a
 * `.gitignore`.
 * @throws TypeError if `folder` is empty or not a string.
 * @throws Error if the folder can't be created or written to, or if the three folders in it are on
 * different disks.
 *
 * @example
 * ```ts
 * const receiver = createReceiver({ store: createStore('/var/lib/webhooks'), … });
 * ```
 */
export function createStore(folder: string): Store {
  // An empty path would be the working directory.
  if (typeof folder !== 'string' || folder === '') {
    throw new TypeError(
      `folder: expected the path of a folder, received ${quote(folder)}. Pass a separate folder, such as 'webhooks'`,
    );
  }
  const root = resolve(folder);
  const explain = (cause: unknown) =>
    new Error(`store: ${root} can't be written to: ${messageOf(cause)}`, { cause });
  let files: Store;
  try {
    files = createFolderStore(root);
  } catch (cause) {
    const fix = 'Create it for the user of this process, or pass another folder';
    throw new Error(`${explain(cause).message}. ${fix}`, { cause });
  }
  return {
    ...files,
    async save(saved) {
      try {
        return await files.save(saved);
      } catch (error) {
        throw explain(error);
      }
    },
  };
}
