import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './manifest.js';

/** Where the one tarball is that is tested and published: no test and no workflow packs another. */
export const TARBALL = 'pack/payment-notifications.tgz';

/** Its sum, as `sha256sum` prints it. */
export function sha256OfTarball() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, TARBALL)))
    .digest('hex');
}
