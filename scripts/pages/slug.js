/**
 * The anchor of a heading as GitHub makes it, so that a link leads to the same place on the site.
 *
 * @param {string} heading
 */
export function slug(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}
