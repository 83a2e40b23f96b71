import { fileURLToPath } from 'node:url';

/** @type {import('next').NextConfig} */
export default {
  skipTrailingSlashRedirect: true, // a service may not follow the redirection
  // What it imports lies two folders up: the packages and the merchant.
  turbopack: { root: fileURLToPath(new URL('../..', import.meta.url)) },
};
