/**
 * What a snippet should print, by its comments: one behind each `console.log(…);`, or on the lines below it.
 *
 * @param {string} code
 */
export function promisedOutput(code) {
  const calls = code.matchAll(/console\.log\([^\n]*\);(?: \/\/ (.*)|((?:\n *\/\/ .*)+))$/gm);
  return [...calls].map(
    ([, line, lines = '']) => line ?? lines.trim().replace(/(?<=^|\n) *\/\/ /g, ''),
  );
}
