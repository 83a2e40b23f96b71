import { type IssueCode, NotificationError } from '../errors.js';
import { describe, type Fault, issue } from '../messages.js';
import { type PlainType, plainType } from './plain-type.js';

/**
 * The destination of a withdrawal: `<address>?dt=<tag>`, split into its parts. Only some currencies
 * have a destination tag.
 */
export interface TxAddress {
  /** The value as sent. */
  readonly raw: string;
  /** The blockchain address, without the tag. */
  readonly address: string;
  /** The destination tag or memo, or null. A string, because a number would turn `007` into 7. */
  readonly destinationTag: string | null;
}

const TAG_MARK = '?dt=';
/** An address that has no parameter, or only `dt`. A tag in base64 may end with `=`. */
const PLAIN_ADDRESS = /^[^?&=]*(?:\?dt=[^?&=]*=*)?$/;
const EXPECTED = 'an address, alone or followed by ?dt=<tag>';

/**
 * Splits `<address>?dt=<tag>` at the first `?dt=`. It doesn't decode or trim the parts. An empty
 * tag is null. Without `?dt=`, the whole value is the address.
 *
 * @param value - The `toTxAddress` of a withdrawal, as sent.
 * @returns The value, its address and its tag.
 * @throws A {@link NotificationError} with the issue `invalid_tx_address` if the address is empty
 * or the value has a lone surrogate, or `wrong_type` if the value is not a string.
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
 * Joins an address and a tag as `<address>?dt=<tag>`. The counterpart of {@link splitToTxAddress}.
 *
 * @param parts - The address and the tag. Null or an empty string means no tag.
 * @returns The address, followed by `?dt=` and the tag if there is one.
 * @throws A {@link NotificationError} with the issue `wrong_type` if the tag is not a string, or
 * `invalid_tx_address` if the address is not a string, is empty or contains `?dt=`, or either has a
 * lone surrogate.
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
    throw addressError('invalid_tx_address', 'an address that contains ?dt=');
  }
  // A number has lost the leading zeros of a tag, and 0 would count as no tag.
  if (typeof (destinationTag ?? '') !== 'string') {
    throw addressError('wrong_type', `the tag as ${describe(destinationTag)}`);
  }
  const joined = destinationTag ? address + TAG_MARK + destinationTag : address;
  if (!joined.isWellFormed()) throw addressError('invalid_tx_address', describe(joined));
  return joined;
}

export const txAddress: PlainType<TxAddress> = /* @__PURE__ */ plainType({
  kind: 'address',
  read: parseTxAddress,
  explain: explainTxAddress,
  doubt: doubtTxAddress,
});

function parseTxAddress(raw: unknown): TxAddress | null {
  if (typeof raw !== 'string' || !raw.isWellFormed()) return null;
  const mark = raw.indexOf(TAG_MARK);
  const address = mark === -1 ? raw : raw.slice(0, mark);
  const tag = mark === -1 ? '' : raw.slice(mark + TAG_MARK.length);
  return address === '' ? null : { raw, address, destinationTag: tag === '' ? null : tag };
}

function explainTxAddress(value: unknown): Fault {
  if (typeof value !== 'string') {
    return { code: 'wrong_type', expected: EXPECTED, received: describe(value) };
  }
  const received = value.startsWith(TAG_MARK) ? 'a tag without an address' : describe(value);
  return { code: 'invalid_tx_address', expected: EXPECTED, received };
}

/** Doubts an address with another parameter, which may be a tag in another form. */
function doubtTxAddress(raw: unknown): Fault | null {
  if (PLAIN_ADDRESS.test(`${raw}`)) return null;
  const received = 'another parameter, which is kept as sent';
  return { code: 'invalid_tx_address', expected: EXPECTED, received };
}

function addressError(code: IssueCode, received: string): NotificationError {
  const issues = [issue(code, ['toTxAddress'], EXPECTED, received)] as const;
  return new NotificationError({ notificationType: null, issues, refused: 'address' });
}
