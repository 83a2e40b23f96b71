export { keepRefused, settleOnce } from '../merchant.js';
