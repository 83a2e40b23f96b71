// Loaded into server.mjs before it starts: the minute between the rounds of the spool takes 60
// milliseconds.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const { setTimeout } = timers;
timers.setTimeout = (ms = 0, value, options) => setTimeout(ms / 1000, value, options);
syncBuiltinESMExports();
