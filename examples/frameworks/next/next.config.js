/** @type {import('next').NextConfig} */
export default {
  // What it imports lies two folders up: the packages and the merchant.
  turbopack: { root: new URL('../..', import.meta.url).pathname },
};
