import { fixture } from '../fixtures.js';

export const depositBody = fixture('deposit-received/eighteen-decimals').body;
export const withdrawalBody = fixture('withdrawal-broadcast/tag-with-leading-zeros').body;
export const faultyBody = fixture('invalid/missing-fields').body;
