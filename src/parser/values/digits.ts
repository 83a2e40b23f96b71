/**
 * JSON's number grammar (RFC 8259, section 6). It allows `1E-8`, but not `+1`, `0x10` or `1_000`.
 */
const DECIMAL_LITERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function isDecimalLiteral(text: string): boolean {
  return DECIMAL_LITERAL.test(text);
}
