// A merchant's CommonJS module that imports when it needs to.
const show = require('./show.cjs');

async function main() {
  const entry = await import('payment-notifications');
  show(entry, await import('payment-notifications/valibot'), await import('valibot'));
}

main();
