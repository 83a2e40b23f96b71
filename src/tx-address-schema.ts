import type { GenericSchema } from 'valibot';
import type { FieldType } from './internal/rules.js';
import { accept, createSchema, reject } from './internal/schemas.js';
import { explainTxAddress, parseTxAddress, type TxAddress } from './tx-address.js';

// Apart from the functions, because the root's declarations must not name a type of valibot's.

/**
 * An address as a field of your own schema: `<address>` or `<address>?dt=<tag>`, split.
 *
 * @example
 * ```ts
 * const Payee = v.object({ to: TxAddressSchema });
 * v.parse(Payee, { to: 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?dt=007' }).to.destinationTag; // '007'
 * ```
 */
export const TxAddressSchema: GenericSchema<unknown, TxAddress> = createSchema(
  'address',
  function (dataset, config) {
    const address = parseTxAddress(dataset.value);
    return address === null
      ? reject(this, dataset, config, explainTxAddress)
      : accept(dataset, address);
  },
);

/** The type of the field `toTxAddress`. */
export const txAddress: FieldType<TxAddress> = {
  kind: 'address',
  schema: TxAddressSchema,
  explain: explainTxAddress,
};
