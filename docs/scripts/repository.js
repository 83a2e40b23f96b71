// What the site derives from `repository` in package.json. Until that is set, it
// has no links to sources.

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * @typedef {object} Repository
 * @property {string} address On GitHub.
 * @property {string} homepage The site.
 */

const GITHUB =
  /^(?:github:|(?:git\+)?https:\/\/github\.com\/|git(?:\+ssh:\/\/git)?@github\.com[:/])?([\w-]+)\/([\w.-]+?)(?:\.git)?$/;

/**
 * Where the sources and the site are; null while package.json names no repository.
 *
 * @returns {Repository | null}
 */
export function readRepository() {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { repository, homepage } = JSON.parse(manifest);
  if (repository === undefined) return null;
  const text = typeof repository === 'string' ? repository : repository.url;
  const [, owner, name] = GITHUB.exec(text) ?? [];
  if (!owner || !name) throw new Error(`repository: expected one on GitHub, received ${text}`);
  const site = homepage ?? `https://${owner.toLowerCase()}.github.io/${name}/`;
  return { address: `https://github.com/${owner}/${name}`, homepage: site.replace(/\/?$/, '/') };
}

/** A relative link or picture of Markdown. */
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\((?!\w+:|#)([^)#]+)(#[^)]*)?\)/g;

/**
 * A page without dead links, for readers outside of the repository. A link to a file that they lack leads to
 * the repository; while that is unknown, its label remains, and nothing of a picture.
 *
 * @param {string} text
 * @param {string} page Its path in the repository.
 * @param {(path: string) => boolean} has Whether the readers have a file.
 * @param {Repository | null} repository
 */
export function withoutDeadLinks(text, page, has, repository) {
  return text.replace(LINK, (link, mark, label, target, anchor = '') => {
    const path = posix.join(posix.dirname(page), target);
    if (has(path)) return link;
    if (repository === null) return mark ? '' : label;
    const view = mark ? 'raw' : 'blob';
    return `${mark}[${label}](${repository.address}/${view}/HEAD/${path}${anchor})`;
  });
}
