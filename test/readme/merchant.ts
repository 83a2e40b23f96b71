export { settled } from '../../examples/frameworks/merchant.js';
