// A merchant's CommonJS module.
const show = require('./show.cjs');

show(
  require('payment-notifications'),
  require('payment-notifications/valibot'),
  require('valibot'),
);
