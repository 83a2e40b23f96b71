import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  type ParseResult,
  type PaymentNotification,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { LIMITS } from '../../scripts/schemas/body.js';
import { readWire, type WireFields, writeWire } from '../../src/parser/members.js';
import { VALUES } from '../fuzz/values.js';
import { IS_BEYOND, type LimitName } from './limits.js';

/** How far parser and schemas agree about bodies. */
interface Agreement {
  /** How often both said that a body is valid. */
  valid: number;
  /** The named limits by which they differed. */
  readonly limits: Set<LimitName>;
  /** What differed otherwise, which nothing may. */
  readonly differed: string[];
}

const ajv = new Ajv2020({ strict: true, strictTypes: true });

/** A schema of the package, compiled. */
function compile(name: string): ValidateFunction {
  const url = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  return ajv.compile(JSON.parse(readFileSync(url, 'utf8')));
}

/** What the three parsers make of a body. */
type Results = Record<'deposit' | 'withdrawal' | 'either', ParseResult<PaymentNotification>>;

/** A schema and a parser that should agree about every body, within the limits. */
function pairOf(name: string, parses: (results: Results) => boolean) {
  return { name, validate: compile(name), parses };
}

const EITHER = 'either schema';
const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

const depositPair = pairOf('deposit-received', ({ deposit }) => deposit.success);
const withdrawalPair = pairOf('withdrawal-broadcast', ({ withdrawal }) => withdrawal.success);

const PAIRS = [
  depositPair,
  withdrawalPair,
  {
    name: EITHER,
    validate: (value: unknown) => depositPair.validate(value) || withdrawalPair.validate(value),
    parses: ({ either }: Results) => either.success,
  },
];

/**
 * Compares the parser's verdicts on bodies with those of the schemas. Text that is not JSON is
 * skipped.
 */
export function judge(bodies: Iterable<string>): Agreement {
  const agreement: Agreement = { valid: 0, limits: new Set(), differed: [] };
  for (const body of bodies) {
    const value = readJson(body);
    if (value !== undefined) judgeOne(agreement, body, value);
  }
  return agreement;
}

function judgeOne(agreement: Agreement, body: string, value: unknown): void {
  const results = {
    deposit: safeParseDepositReceived(body),
    withdrawal: safeParseWithdrawalBroadcast(body),
    either: safeParseNotification(body),
  };
  for (const pair of PAIRS) {
    const isValid = pair.validate(value);
    if (isValid === pair.parses(results)) {
      if (isValid) agreement.valid += 1;
      continue;
    }
    const fields = readWire(body);
    const limits = LIMIT_NAMES.filter(
      // That limit is about parseNotification.
      (name) => IS_BEYOND[name](fields) && (name !== 'identifiers' || pair.name === EITHER),
    );
    if (limits.length === 0) agreement.differed.push(`${pair.name} says ${isValid}: ${body}`);
    for (const limit of limits) agreement.limits.add(limit);
  }
}

/** The value of a body's text; undefined if it is not JSON. */
function readJson(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** A JSON object with each hostile value in a field, and without the field. */
export function withEachValue(fields: WireFields, name: string): string[] {
  const others = [...fields].filter(([other]) => other !== name);
  const values = VALUES.map((value) => writeWire(new Map([...fields, [name, value]])));
  return [...values, writeWire(new Map(others))];
}
