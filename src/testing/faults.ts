import type { IssueCode } from '../parser/errors.js';
import { depositReceivedBody } from './bodies.js';
import { changed } from './variants.js';
import { hasWireValue, readWire, writeWire } from './wire.js';

/** A body that every parser refuses. */
export interface FaultyBody {
  /** What is wrong: `an amount with a comma`. */
  readonly label: string;
  /** The code for which `parseNotification` refuses it. */
  readonly code: IssueCode;
  /** Text, or bytes that are not UTF-8. */
  readonly body: string | Uint8Array;
}

/** The label of a body that shows whether a handler decodes before it parses. */
export const NOT_UTF_8 = 'bytes that are not UTF-8';

/**
 * Makes an invalid body of each kind. A handler that answers one with success has settled something
 * that was not sent, or has lost a webhook, unless it saves the body for review.
 *
 * @param body - The JSON text of a valid body (default: a sample deposit).
 * @throws SyntaxError if the text is not JSON, TypeError if the JSON is not an object.
 *
 * @example
 * ```ts
 * for (const { label, body } of faultyBodies()) {
 *   test(label, async () => expect([400, 413]).toContain((await post(body)).status));
 * }
 * ```
 */
export function faultyBodies(body: string = depositReceivedBody()): FaultyBody[] {
  return [...faultsOf(body), ...limitsOf(body)];
}

/** The faults that no reader of the service's documentation accepts. */
export function faultsOf(body: string): FaultyBody[] {
  const { fields, id, isWithdrawal, faulty } = partsOf(body);
  const accented = changed('', fields, { settlementCurrency: '"\u00fc"' }).body;
  const latin1 = Uint8Array.from(accented, (character) => character.charCodeAt(0));
  return [
    { code: 'invalid_json', label: 'an empty body', body: '' },
    { code: 'invalid_json', label: 'JSON cut in the middle', body: body.slice(0, body.length / 2) },
    { code: 'invalid_json', label: 'a form', body: `${id}=1&status=CONFIRMED` },
    { code: 'invalid_json', label: NOT_UTF_8, body: latin1 },
    { code: 'not_an_object', label: 'an array', body: `[${writeWire(fields)}]` },
    { code: 'not_an_object', label: 'JSON encoded twice', body: JSON.stringify(body) },
    faulty('unrecognized_notification', `no ${id}`, id),
    faulty('invalid_id', `a ${id} that is not a UUID`, id, '"1"'),
    faulty('unknown_value', 'an unknown status', 'status', '"PENDING"'),
    // A withdrawal's amount may be missing, so one that can't be read is only a warning.
    ...(isWithdrawal ? [] : amountFaults(faulty, 'actualDepositAmount')),
  ];
}

/** What only this package refuses. A handler that doesn't need the field may accept the body. */
export function limitsOf(body: string): FaultyBody[] {
  const { isWithdrawal, faulty } = partsOf(body);
  const estimate = isWithdrawal ? 'estimatedWithdrawAmount' : 'actualDisplayAmount';
  const currency = 'settlementCurrency';
  const nowhere = faulty('invalid_tx_address', 'only a tag as address', 'toTxAddress', '"?dt=1"');
  return [
    { code: 'body_too_large', label: 'more than 64 KiB', body: body + ' '.repeat(65_536) },
    faulty('missing_field', `no ${currency}`, currency),
    faulty('wrong_type', `an empty ${currency}`, currency, '""'),
    ...(isWithdrawal ? amountFaults(faulty, estimate) : []),
    faulty('invalid_amount', 'an amount that JSON.parse reads as Infinity', estimate, '1e999'),
    faulty('wrong_type', 'a lone surrogate', 'displayCurrency', '"\\ud800"'),
    ...(isWithdrawal ? [nowhere] : []),
  ];
}

type Faulty = ReturnType<typeof partsOf>['faulty'];

const amountFaults = (faulty: Faulty, name: string): FaultyBody[] => [
  faulty('invalid_amount', 'an amount with a comma', name, '"1,5"'),
  faulty('negative_amount', 'an amount below zero', name, '-1'),
];

function partsOf(body: string) {
  const fields = readWire(body);
  const isWithdrawal = hasWireValue(fields, 'withdrawalId');
  // Only a COMPLETED withdrawal is refused for what a FAILED one may lack.
  if (isWithdrawal) fields.set('status', '"COMPLETED"');
  const id = isWithdrawal ? 'withdrawalId' : 'depositId';
  const faulty = (code: IssueCode, label: string, name: string, wire?: string): FaultyBody => ({
    ...changed(label, fields, { [name]: wire }),
    code,
  });
  return { fields, isWithdrawal, id, faulty };
}
