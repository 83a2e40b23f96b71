import { resolve } from 'node:path';
import { quote } from '../parser/messages.js';
import type { Store } from '../receiver/store.js';
import { messageOf } from '../shared/thrown.js';
import { openFolder } from './folder.js';

export type { SavedBody, Store } from '../receiver/store.js';

/**
 * Creates a store in a folder, for a receiver in Node.js, Bun or Deno. Each body that isn't settled
 * is a `.json` file, and the `.txt` file beside it has the reason. They are in one of two folders:
 *
 * - `retry`: the receiver tries the bodies again.
 * - `review`: someone decides. To settle a body, move both its files to `retry`. To discard it,
 *   delete them.
 *
 * Several processes may share the folder. Two of them may then settle the same body, as if it were
 * delivered twice.
 *
 * @param folder - On a persistent disk. It is created if it is missing, and Git ignores it.
 * @throws TypeError if `folder` is empty or not a string.
 * @throws Error if the folder can't be created or written to, or if `retry` and `review` in it are
 * on different disks.
 *
 * @example
 * ```ts
 * const receiver = createReceiver({ store: createStore('webhooks'), … });
 * ```
 */
export function createStore(folder: string): Store {
  // An empty path would be the working directory.
  if (typeof folder !== 'string' || folder === '') {
    throw new TypeError(
      `folder: expected the path of a folder, received ${quote(folder)}. Pass one for bodies only, such as webhooks`,
    );
  }
  const root = resolve(folder);
  const explain = (cause: unknown) =>
    new Error(`store: ${root} can't be written to: ${messageOf(cause)}`, { cause });
  let files: Store;
  try {
    files = openFolder(root);
  } catch (error) {
    throw explain(error);
  }
  return {
    ...files,
    async save(saved) {
      try {
        await files.save(saved);
      } catch (error) {
        throw explain(error);
      }
    },
  };
}
