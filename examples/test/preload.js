// Loaded into postgres.mjs before it starts: prints which folders are synced, since the name of a
// file survives a power cut only with its folder, and makes a minute of waiting last 60
// milliseconds.
import fs, { fstatSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const file = await open('.');
await file.close();
const handles = Object.getPrototypeOf(file);
const { sync } = handles;
handles.sync = async function () {
  await sync.call(this);
  print(this.fd);
};
const { fsyncSync } = fs;
fs.fsyncSync = (fd) => {
  fsyncSync(fd);
  print(fd);
};

/** @param {number} fd */
function print(fd) {
  if (fstatSync(fd).isDirectory()) console.log('synced', readlinkSync(`/proc/self/fd/${fd}`));
}

const { setTimeout } = timers;
timers.setTimeout = (ms = 0, value, options) => setTimeout(ms / 1000, value, options);
syncBuiltinESMExports();
