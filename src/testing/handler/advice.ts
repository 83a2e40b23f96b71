import { NOT_UTF_8 } from '../faults.js';

/** The likely causes that a behavior knows. A text is the cause of any failure. */
export type Causes =
  | string
  | {
      /** If nothing moved, only some of the amounts did, or something moved that wasn't due. */
      readonly change?: string;
      /** If nothing moved, and `kept` counts one more. */
      readonly kept?: string;
      /** If the amount moved several times. */
      readonly several?: string;
      /** If the body was refused, or its request failed. */
      readonly answer?: string;
    };

export function ownCause(
  causes: Causes,
  kind: 'change' | 'kept' | 'several' | 'answer',
): string | undefined {
  return typeof causes === 'string' ? causes : causes[kind];
}

// ---- The first test, which shows whether the options are right ----

export const FIRST: Causes = {
  change:
    'No balance changed. Check that balance reads what your handler changes, and that prepare inserts the order that your handler looks up. If both are right, the handler caught an error, answered before it settled, or its worker stopped',
  kept: 'The webhook was saved for review. Check that prepare inserts the order that your handler looks up. If the handler saves it on purpose, return amount: null from amountOf',
  answer: "See your server's log, and check that prepare inserts the order",
};
export const FIRST_WITHOUT_PREPARE: Causes = {
  change:
    'No balance changed. Pass prepare, which inserts the order. If your handler looks up no order, check that balance reads what it changes',
  kept: 'The webhook was saved for review, because its order is unknown. Pass prepare, which inserts the order',
  answer:
    "Pass prepare, which inserts the order. If your handler looks up no order, see your server's log",
};

// ---- The fields of a body ----

export const DROPPED =
  'The handler drops a deposit that is late, or differs from the expected amount. Credit it, or save it for review and return amount: null from amountOf';
export const HARMLESS =
  'The handler drops or refuses a webhook because of a warning, or of a field that it does not need, such as a fee. Ignore both';
export const MISSING =
  'The handler requires a field that may be missing. Accept null for this field';
export const NARROW = {
  answer:
    "A column or a check may be too narrow, such as varchar(4), varchar(64), bigint or numeric(20,18). See your server's log",
};
export const SMALL =
  'The handler drops a small amount, rounds it to zero, or does not read its exponent. Settle every digit';
export const CURRENCY =
  "The handler truncated, refused or replaced the currency. Store codes of any length, and use the webhook's currency";
export const NUL: Causes = {
  answer: 'The types text and jsonb of PostgreSQL refuse \\u0000. Save the body as bytea',
};
export const LARGE =
  'A body of 10 kB is refused or truncated. Raise the limit of your body parser or column to 64 KiB';
export const PARTS =
  'The handler parses only the first part of a body. Read the request to its end, because a network may split a body anywhere';

/** What a handler that parses by hand has to do, by the form that it can't read. */
const FORMS: readonly (readonly [form: RegExp, advice: string])[] = [
  [/as a number/, 'Accept amounts that are JSON numbers'],
  [/as a string/, 'Accept amounts that are strings'],
  [/exponent/, 'Accept amounts with an exponent, such as 7.5e-1'],
  [/zeros/, 'Accept amounts that end in zeros'],
  [/missing/, 'Accept a missing value as null, and as a missing field'],
  [/spelled/, 'Accept both spellings, deductedSettlementAmount and deducedSettlementAmount'],
  [/order|indented/, 'Use a JSON parser, because fields may have any order and white space'],
  [/capitals/, 'Convert identifiers to lower case'],
  [/content type/, 'Accept any content type'],
];

export const onForm = (label: string): string =>
  `The handler can't read this form of the webhook. ${adviceFor(label, FORMS)}`;

// ---- The key ----

export const REPEATED =
  'The handler moves money for a known key, or builds the key from what may change, such as an amount or capitals. Use idempotencyKey, and move nothing if it is known';
export const FORGOTTEN =
  'The handler does not check the key, or deleted it after later events. Never delete keys';
export const SHARED_KEY =
  'The handler settles only one of two events that share the order, the address or the transactionId. Use idempotencyKey as the key';
export const UNCOMPARED =
  'The handler does not compare the values of a known key. If order, currency or the exact amount differs, save the webhook for review. kept must count it';
export const STATUS = {
  change:
    'The handler does not check the status. Debit only COMPLETED withdrawals, and never reverse a debit',
};
export const FINAL =
  'The handler ignores a second status. Use idempotencyKey, which contains the status';
export const NO_AMOUNT =
  'The webhook is lost, or the key was inserted before the amount was known. Save the webhook for review, and insert the key when you debit';
export const NEW_ORDER: Causes = {
  change:
    'The key was inserted although the order was unknown, or the webhook was settled twice. Insert the key when you settle',
  answer:
    'prepare does not insert the order, or the handler does not look up an unknown order again',
};

// ---- At the same time, and while the database fails ----

export const RACE =
  "Two webhooks overwrite each other's balance. Add in SQL, or lock the row. Or the handler drops a webhook while another one is in progress, or several copies pass the check of the key";
const INSERT_KEY =
  'Insert the key into a unique column, in the transaction that changes the balance';
export const COPIED: string = `Several copies passed the check of the key. ${INSERT_KEY}`;
export const MENDED: Causes = {
  change: 'The key was saved without the money. Write both in one transaction',
  several: `The money was committed without the key, or several copies pass the check of the key. ${INSERT_KEY}`,
  answer:
    'The handler still fails after the repair. Roll back the transaction, release its connection, and answer a known key with success',
};
export const BROKE_NOTHING =
  'Either breakDatabase broke nothing that the handler uses, or the handler committed the money, and caught a later error. Write the key and the money in one transaction';
export const ACCEPTED =
  'The endpoint answered with success, but the balance never changed. The handler caught an error, saved the key without the money, or answered a copy while another one was in progress. Answer 500 until the money is committed, or save the webhook first';
export const NOT_FAILED =
  'The service might not resend a refused webhook. Let errors of the database propagate, so that the answer is 500';

export const LATE = 'A balance changed later than it should have. Look for work that is done twice';
export const MOVED_ANYWAY =
  'The balance changed all the same. Then answer with success, because the service resends a webhook that fails';

// ---- What can't be settled ----

export const LOST =
  'The webhook is lost, or kept does not count it. Save the webhook for review before you answer';
export const KEPT_REPEAT =
  'The handler saved a duplicate for review. If the key is known with the same values, only answer with success';
export const SECRET =
  'The handler does not compare the whole secret. Use createReceiver, or compare it with timingSafeEqual. If a proxy or a signature checks who calls, pass secret: null';
const DECODED =
  'The bytes were decoded before they were parsed, such as by text += chunk, request.text() or express.text(). Pass the raw bytes';
const NOT_KEPT =
  'Save a faulty body for review, and answer 400. If you answer with success, pass kept';

/** What a handler that parses by hand has to refuse, by the fault that it accepts. */
const FAULTS: readonly (readonly [fault: RegExp, advice: string])[] = [
  [/empty body|cut in|a form/, 'Refuse a body that is not JSON'],
  [/array|twice/, 'Refuse JSON that is not an object'],
  [/UUID|Id$/, 'Refuse an identifier that is not a UUID, so that no key is "undefined"'],
  [/status/, 'Refuse a status that you do not know'],
  [/Currency/, 'Refuse a currency that is missing or empty'],
  [/comma/, 'Refuse an amount that is not decimal text: parseFloat reads 1 of "1,5"'],
  [/below zero/, 'Refuse an amount below zero'],
  [/64 KiB/, 'Refuse a body of more than 64 KiB, or read all of it'],
  [/Infinity/, 'Read amounts as text, because JSON.parse reads 1e999 as Infinity'],
  [/surrogate/, 'Refuse a lone surrogate, or save the bytes'],
  [/tag/, 'Refuse an address that is only a tag, or ignore the address'],
];

/** The likely cause if a faulty body, or the valid body after it, is settled wrong. */
export const onParser = (label = ''): string =>
  `The handler reads the body without the parsers of this package. ${adviceFor(label, FAULTS)}`;

/** The causes if a handler doesn't refuse a faulty body. */
export const onFault = (label: string): Causes => ({
  change: label === NOT_UTF_8 ? DECODED : onParser(label),
  answer: NOT_KEPT,
});

function adviceFor(label: string, advices: typeof FAULTS): string {
  const [, advice] = advices.find(([pattern]) => pattern.test(label)) ?? [];
  return advice === undefined ? 'Use createReceiver' : `${advice}. Or use createReceiver`;
}
