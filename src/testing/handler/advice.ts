import { NOT_UTF_8 } from '../faults.js';

/** The likely causes that a behavior knows. A text is the cause of whatever is wrong. */
export type Causes =
  | string
  | {
      /** If nothing moved, only some of several bodies did, or something moved that wasn't due. */
      readonly change?: string;
      /** If nothing moved, and the body was kept for review. */
      readonly kept?: string;
      /** If the amount moved several times. */
      readonly several?: string;
      /** If the body was refused, or its request failed. */
      readonly answer?: string;
    };

/** The cause that a behavior knows, by what is wrong. */
export function ownCause(
  causes: Causes,
  kind: 'change' | 'kept' | 'several' | 'answer',
): string | undefined {
  return typeof causes === 'string' ? causes : causes[kind];
}

export const FIRST: Causes = {
  change:
    'Nothing moved. Check that balance reads what your handler changes, and that prepare inserts what it updates. Otherwise, an error was caught, the answer came before the work, or a worker gave up',
  kept: 'The body was kept for review. Check that prepare inserts the order that your handler looks up. If you keep it on purpose, return amount: null in amountOf',
  answer: 'See the log of your server, and check that prepare inserts the order',
};
export const FIRST_WITHOUT_PREPARE: Causes = {
  change:
    'Nothing moved. Pass prepare, which inserts the order. If there are no orders, check that balance reads what your handler changes',
  kept: 'The body was kept for review, because its order is unknown. Pass prepare, which inserts it',
  answer:
    'Pass prepare, which inserts the order. If there are no orders, see the log of your server',
};
export const FORM =
  'This form is refused or not read. Use the parsers of this package, and accept any content type';
export const FORGOTTEN = 'The key is not checked, or forgotten after others. Keep every key';
export const SHARED_KEY =
  'The key is made of fields that other events share, such as those of an order or a transaction. Use idempotencyKey';
export const CONFLICT =
  'The key is not checked, or contains more than the event. Use idempotencyKey';
export const UNCOMPARED =
  'The values of a known key are not compared, or not to the last digit. If they differ, keep the body for review, where kept counts it';
export const PART =
  'Either the key is that of the order: use idempotencyKey. Or the first deposit closes its order: credit each';
export const STATUS = {
  change: 'The status is not checked. Debit only COMPLETED withdrawals, and undo nothing',
};
export const FINAL = 'The key lacks the status, or the first status is final. Use idempotencyKey';
export const NO_AMOUNT =
  'The body is lost, or the key was inserted without the amount. Keep the body for review, and insert the key when you debit';
export const SMALL = 'A small amount is dropped or rounded to zero, or its exponent is not read';
export const NARROW = {
  answer:
    'A column or a check may be too narrow, such as varchar(4), varchar(64), bigint or numeric(20,18). See the log',
};
const COIN =
  'Its currency is cut off, unknown, or replaced by that of the order. Store codes of any length, and move its own currency';
export const OWN_CURRENCY: Causes = { change: COIN };
export const CURRENCY: Causes = { change: COIN, answer: NARROW.answer };
export const MISSING = 'The handler depends on this field, which may be missing. See the types';
export const NUL = {
  answer: 'Text and jsonb of PostgreSQL refuse \\u0000. Store the body as bytea',
};
export const HARMLESS =
  'The event is dropped or refused for a value that decides nothing, such as a fee, the rateType or a warning. Ignore the value';
export const DROPPED =
  'The deposit is dropped because it is late, or not what the order expects. Credit it, or keep it for review and return amount: null in amountOf';
export const RACE =
  'Either the balance is read and then written, so that one overwrites the other: add in the database, or lock the row. Or one is dropped while another is in progress';
export const NEW_ORDER: Causes = {
  change:
    'Either the key was inserted though the order was unknown, or it moves again once the order is known. Insert the key when you settle',
  answer: 'Either prepare does not insert the order, or it is remembered as unknown',
};
export const MENDED: Causes = {
  change:
    'The key was committed, or is remembered, without the money. Put both into one transaction',
  several:
    'The money was committed without the key, or the key is only remembered in memory. Put both into one transaction',
  answer:
    'It still fails. Either the key was committed without the money, and a known key fails. Or the transaction is not rolled back, or its connection not released',
};

export const PARSER = 'The body is read without the parsers of this package. Use createReceiver';
const DECODED =
  'The bytes were decoded before they were parsed, such as by text += chunk, request.text() or express.text(). Pass the raw bytes';

/** The causes if a handler doesn't refuse a faulty body. */
export const adviceOnFault = (label: string): Causes => ({
  change: label === NOT_UTF_8 ? DECODED : PARSER,
  answer: 'Store a faulty body for review, and answer 400. If you answer with success, pass kept',
});
