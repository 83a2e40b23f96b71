// What the packed package and the site derive from `repository` in package.json. Until that is set, they
// have no homepage and no links to sources.

/**
 * @typedef {object} Repository
 * @property {string} source What a path in the repository follows in the address of its page.
 * @property {string} raw The same for the file itself.
 * @property {string} homepage The site.
 */

const GITHUB =
  /^(?:github:|(?:git\+)?https:\/\/github\.com\/|git(?:\+ssh:\/\/git)?@github\.com[:/])?([\w-]+)\/([\w.-]+?)(?:\.git)?$/;

/**
 * Where the sources and the site are; null while package.json names no repository.
 *
 * @param {{ repository?: string | { url: string }, homepage?: string }} manifest
 * @returns {Repository | null}
 */
export function readRepository({ repository, homepage }) {
  if (repository === undefined) return null;
  const text = typeof repository === 'string' ? repository : repository.url;
  const [, owner, name] = GITHUB.exec(text) ?? [];
  if (!owner || !name) throw new Error(`repository: expected one on GitHub, received ${text}`);
  const site = homepage ?? `https://${owner.toLowerCase()}.github.io/${name}/`;
  return {
    source: `https://github.com/${owner}/${name}/blob/HEAD/`,
    raw: `https://raw.githubusercontent.com/${owner}/${name}/HEAD/`,
    homepage: site.replace(/\/?$/, '/'),
  };
}

/**
 * The README with absolute links, for readers who see it outside of the repository: the site's pages on the
 * site, everything else in the repository.
 *
 * @param {string} readme
 * @param {Repository} repository
 */
export function withAbsoluteLinks(readme, { source, raw, homepage }) {
  return readme
    .replace(/(?<=\]\()(?!https?:|#)[^)]+/g, (path) => {
      const [, page, anchor = ''] = /^docs\/([\w-]+)\.md(#.*)?$/.exec(path) ?? [];
      return page ? `${homepage}${page}.html${anchor}` : source + path;
    })
    .replace(/(?<=\bsrc(?:set)?=")(?!https?:)[^"]+/g, (path) => raw + path);
}
