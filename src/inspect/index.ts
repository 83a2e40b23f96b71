export {
  type InspectedField,
  type Inspection,
  type InspectOptions,
  inspectBody,
  type Verdict,
} from './inspect-body.js';
export type { JsonFault } from './json-fault.js';
export type { Quirk, QuirkCode } from './quirks.js';
