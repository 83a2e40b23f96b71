import { Decimal } from 'decimal.js';
import type { LIMITS } from '../../scripts/schemas/limits.js';
import {
  DEPOSIT_RECEIVED_FIELDS,
  WITHDRAWAL_BROADCAST_FIELDS,
} from '../../scripts/schemas/tables.js';
import { MAX_DIGITS, MAX_LENGTH } from '../../src/amount.js';
import type { WireFields } from '../../src/wire/members.js';

const FIELDS = Object.values({ ...DEPOSIT_RECEIVED_FIELDS, ...WITHDRAWAL_BROADCAST_FIELDS });
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export type LimitName = keyof typeof LIMITS;

/**
 * For each limit, a body's fields without what the limit is about; undefined where the limit has nothing to
 * do with the body. Told by the text alone, not by what the parser makes of it. On what is left, parser
 * and schema must agree.
 */
export const WITHOUT: Readonly<Record<LimitName, (fields: WireFields) => WireFields | undefined>> =
  {
    // The rest of a body that is too large would be the whole of it, and the parser doesn't look at that.
    size: (fields) => (sizeOf(fields) > 64 * 1024 ? new Map() : undefined),
    digits: replaceEach('amount', (json) => {
      if (!NUMBER.test(json)) return json;
      const double = Number(json);
      const isSame = json.length <= MAX_LENGTH && isZero(json) === (double === 0);
      return !Number.isFinite(double) || (isSame && new Decimal(json).equals(double))
        ? json
        : String(double);
    }),
    // No schema accepts this exponent.
    exponent: replaceEach('amount', (json) => {
      const text = json.startsWith('"') ? JSON.parse(json) : '';
      if (!NUMBER.test(text) || !/e/i.test(text)) return json;
      const amount = new Decimal(text);
      return amount.isZero() || Math.abs(amount.e) <= MAX_DIGITS ? json : '"1e1000"';
    }),
    surrogates: (fields) => {
      const changed = [...fields].map(([name, json]): [string, string] => [name, wellFormed(json)]);
      return changed.some(([name, json]) => json !== fields.get(name))
        ? new Map(changed)
        : undefined;
    },
    notification: (fields) =>
      fields.has('warnings')
        ? new Map([...fields].filter(([name]) => name !== 'warnings'))
        : undefined,
    identifiers: (fields) => {
      const ids = ['depositId', 'withdrawalId'].map((name) => fields.get(name) ?? 'null');
      return ids.includes('null') ? undefined : new Map();
    },
    spellings: (fields) => {
      const names = ['deductedSettlementAmount', 'deducedSettlementAmount'];
      const [one = '', other = ''] = names.map((name) => fields.get(name)?.replace(/^"|"$/g, ''));
      if (!NUMBER.test(one) || !NUMBER.test(other) || new Decimal(one).equals(other))
        return undefined;
      return new Map([...fields].filter(([name]) => name !== 'deducedSettlementAmount'));
    },
    // No schema and no parser takes this for a time.
    offsets: replaceEach('timestamp', (json) =>
      /^"(?:19(?:69-12-31|70-01-01)|9999-12-31)T.*[+-]\d\d:\d\d"$/i.test(json) ? '"x"' : json,
    ),
  };

/** JSON text with every lone surrogate replaced. */
function wellFormed(json: string): string {
  if (!/^["{]/.test(json) || !/\\u[dD]|[\ud800-\udfff]/.test(json)) return json;
  return JSON.stringify(JSON.parse(json), (_, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** Not by decimal.js, which takes an exponent of many digits for zero, as a double does. */
function isZero(literal: string): boolean {
  return !/^[-.0]*[1-9]/.test(literal);
}

/** Replaces the fields of a kind; undefined where that changes none. */
function replaceEach(kind: string, replace: (json: string) => string) {
  const names = FIELDS.filter((field) => field.type.kind === kind).map(({ name }) => name);
  return (fields: WireFields): WireFields | undefined => {
    const changed = names.flatMap((name): [string, string][] => {
      const json = fields.get(name) ?? 'null';
      const replaced = replace(json);
      return replaced === json ? [] : [[name, replaced]];
    });
    return changed.length === 0 ? undefined : new Map([...fields, ...changed]);
  };
}

function sizeOf(fields: WireFields): number {
  return [...fields].reduce((sum, [name, json]) => sum + Buffer.byteLength(name + json) + 6, 0);
}
