// The parts of the pages that are generated from the sources. They are between marks:
//
//   <!-- fill: deposit -->
//   <!-- /fill -->
//
// A test fails if a page is stale. `npm run update` writes it again.
import { codesList, depositFields, ownerFields, withdrawalFields } from './fields.js';

const BLOCK = /^<!-- fill: (\w+) -->\n.*?^<!-- \/fill -->$/gms;

/** The sources by the word in a mark. */
const SOURCES: Readonly<Record<string, () => string>> = {
  deposit: depositFields,
  withdrawal: withdrawalFields,
  owner: ownerFields,
  codes: codesList,
};

/** The text of a page, with what its sources give between its marks. */
export function withTables(text: string): string {
  return text.replace(BLOCK, (_, word) => {
    const source = SOURCES[word];
    if (source === undefined) throw new Error(`no source is called ${word}`);
    return `<!-- fill: ${word} -->\n\n${source()}\n\n<!-- /fill -->`;
  });
}
