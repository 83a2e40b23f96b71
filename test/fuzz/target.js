// The target of coverage-guided fuzzing, which .github/workflows/fuzz.yml runs every week.
import { examine, PARSER_COUNT } from './examine.js';

/** @param {Buffer} body */
export function fuzz(body) {
  for (let parser = 0; parser < PARSER_COUNT; parser += 1) {
    const fault = examine(body, body, parser);
    if (fault !== null) throw new Error(`The body ${fault} (parser ${parser})`);
  }
}
