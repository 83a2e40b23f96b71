import { type IssueCode, NotificationError } from './errors.js';
import { describe, type Fault, issue } from './internal/issues.js';

/**
 * Where a withdrawal was sent: the wire's `<address>?dt=<tag>`, split. For some currencies, the
 * service's documentation says, the address is followed by a destination tag.
 */
export interface TxAddress {
  /** The original value. */
  readonly raw: string;
  /** The blockchain address, without the tag. */
  readonly address: string;
  /** The destination tag or memo, or null. Text: `007` and `7` are two tags. */
  readonly destinationTag: string | null;
}

const TAG_MARK = '?dt=';
const EXPECTED = 'an address, alone or followed by ?dt=<tag>';

/**
 * Splits `<address>?dt=<tag>` at the first `?dt=`. Neither part is decoded or trimmed; an empty tag
 * is none; without the mark, all of the value is the address.
 *
 * @param value - The `toTxAddress` of a withdrawal, as sent.
 * @returns The value and its two parts.
 * @throws A {@link NotificationError} with the issue `invalid_tx_address` if the address is empty, or
 * `wrong_type` if the value is not a string.
 *
 * @example
 * ```ts
 * splitToTxAddress('rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=007');
 * // {
 * //   raw: 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=007',
 * //   address: 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY',
 * //   destinationTag: '007',
 * // }
 * ```
 */
export function splitToTxAddress(value: string): TxAddress {
  const address = parseTxAddress(value);
  if (address !== null) return address;
  const { code, received } = explainTxAddress(value);
  throw addressError(code, received);
}

/**
 * Joins an address and its tag to `<address>?dt=<tag>`: what {@link splitToTxAddress} splits again
 * into the same parts.
 *
 * @param parts - An address and its tag; null and an empty tag mean that there is none.
 * @returns The address, followed by `?dt=` and the tag if there is one.
 * @throws A {@link NotificationError} with the issue `invalid_tx_address` if the address is empty or
 * contains a `?dt=`, at which it would be split, and `wrong_type` if the tag is not a string.
 *
 * @example
 * ```ts
 * joinToTxAddress({ address: 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY', destinationTag: '007' });
 * // 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=007'
 * ```
 */
export function joinToTxAddress(parts: Pick<TxAddress, 'address' | 'destinationTag'>): string {
  const { address, destinationTag } = parts;
  if (typeof address !== 'string' || address === '') {
    throw addressError('invalid_tx_address', describe(address));
  }
  if (address.includes(TAG_MARK)) {
    throw addressError('invalid_tx_address', 'an address that holds a ?dt= itself');
  }
  // A number would lose the zeros of a tag, and the tag 0 altogether.
  if (typeof (destinationTag ?? '') !== 'string') {
    throw addressError('wrong_type', `the tag as ${describe(destinationTag)}`);
  }
  const joined = destinationTag ? address + TAG_MARK + destinationTag : address;
  if (!joined.isWellFormed()) throw addressError('invalid_tx_address', describe(joined));
  return joined;
}

/** The parts of a value; null if it is not a string, or its address is empty. */
export function parseTxAddress(raw: unknown): TxAddress | null {
  if (typeof raw !== 'string' || !raw.isWellFormed()) return null;
  const mark = raw.indexOf(TAG_MARK);
  const address = mark === -1 ? raw : raw.slice(0, mark);
  const tag = mark === -1 ? '' : raw.slice(mark + TAG_MARK.length);
  return address === '' ? null : { raw, address, destinationTag: tag === '' ? null : tag };
}

/** Says why a value is not an address. */
export function explainTxAddress(value: unknown): Fault {
  if (typeof value !== 'string') {
    return { code: 'wrong_type', expected: EXPECTED, received: describe(value) };
  }
  const received = value.startsWith(TAG_MARK) ? 'a tag without an address' : describe(value);
  return { code: 'invalid_tx_address', expected: EXPECTED, received };
}

function addressError(code: IssueCode, received: string): NotificationError {
  const issues = [issue(code, ['toTxAddress'], EXPECTED, received)] as const;
  return new NotificationError({ notificationType: null, issues });
}
