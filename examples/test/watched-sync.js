// Prints which folders a process syncs; the name of a file survives a power cut only with its folder.
import { fstatSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';

const file = await open('.');
await file.close();
const handles = Object.getPrototypeOf(file);
const { sync } = handles;
handles.sync = async function () {
  await sync.call(this);
  if (fstatSync(this.fd).isDirectory())
    console.log('synced', readlinkSync(`/proc/self/fd/${this.fd}`));
};
