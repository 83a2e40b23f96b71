// Writes what the pages take from elsewhere: the tables of fields, the reference, the help and the charts.
import { mkdirSync } from 'node:fs';
import { writeCharts } from './charts.js';
import { writeCodes, writeFields } from './fields.js';
import { writeExamples, writeHelp, writeThreats } from './pages.js';
import { writeReference } from './reference.js';

mkdirSync(new URL('../generated/', import.meta.url), { recursive: true });
await writeFields();
writeCodes();
await writeReference();
writeThreats();
writeExamples();
writeHelp();
await writeCharts();
