import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  type ParseResult,
  type PaymentNotification,
  safeParseDepositReceived,
  safeParseNotification,
  safeParseWithdrawalBroadcast,
} from 'payment-notifications';
import { type LIMITS, LIMITS_OF } from '../../scripts/schemas/limits.js';
import { readWire, writeWire } from '../../src/wire/members.js';
import { WITHOUT } from './limits.js';

/** How many bodies were judged, and with what result. */
export interface Tally {
  bodies: number;
  /** One a body and a pair. */
  verdicts: number;
  agreed: number;
  /** How many of the agreed verdicts were that the body is valid. */
  valid: number;
  /** How many differed by each of the named limits. */
  limited: Record<string, number>;
  /** What differed otherwise, which nothing may. */
  differed: string[];
}

export function createTally(): Tally {
  return { bodies: 0, verdicts: 0, agreed: 0, valid: 0, limited: {}, differed: [] };
}

type LimitName = keyof typeof LIMITS;

const ajv = new Ajv2020({ strict: true });

/** A schema of the package, compiled. */
function compile(name: string): ValidateFunction {
  const url = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  return ajv.compile(JSON.parse(readFileSync(url, 'utf8')));
}

/** Whether JSON is that of a notification, by its schema. */
export const isNotification = compile('notification');

/** A schema and a way of parsing that should tell the same of every body, within the limits that it names. */
function pairOf(name: keyof typeof LIMITS_OF, parses: (body: string) => boolean) {
  // That limit is about parseNotification.
  const limits = LIMITS_OF[name].filter((one) => one !== 'identifiers');
  return { name, limits, validate: compile(name), parses };
}

const acceptedDeposit = pairOf(
  'deposit-received.accepted',
  (body) => safeParseDepositReceived(body).success,
);
const acceptedWithdrawal = pairOf(
  'withdrawal-broadcast.accepted',
  (body) => safeParseWithdrawalBroadcast(body).success,
);

const PAIRS = [
  pairOf('deposit-received', (body) => isFlawless(safeParseDepositReceived(body))),
  acceptedDeposit,
  pairOf('withdrawal-broadcast', (body) => isFlawless(safeParseWithdrawalBroadcast(body))),
  acceptedWithdrawal,
  {
    name: 'either accepted schema',
    limits: [...acceptedDeposit.limits, 'identifiers'] as const,
    validate: (value: unknown) =>
      acceptedDeposit.validate(value) || acceptedWithdrawal.validate(value),
    parses: (body: string) => safeParseNotification(body).success,
  },
];

/** Compares the parser's verdicts on a body with those of the schemas. What is no JSON is passed over. */
export function judge(tally: Tally, body: string): void {
  const value = readJson(body);
  if (value === undefined) return;
  tally.bodies += 1;
  for (const pair of PAIRS) {
    tally.verdicts += 1;
    const isValid = pair.validate(value);
    if (isValid === pair.parses(body)) {
      tally.agreed += 1;
      if (isValid) tally.valid += 1;
      continue;
    }
    const limit = limitOf(pair, body);
    if (limit === undefined) {
      tally.differed.push(`${pair.name} says ${isValid}: ${body}`);
    } else {
      tally.limited[limit] = (tally.limited[limit] ?? 0) + 1;
    }
  }
  const { success, notification } = safeParseNotification(body);
  if (success && !isNotification(JSON.parse(JSON.stringify(notification)))) {
    const errors = ajv.errorsText(isNotification.errors);
    tally.differed.push(`the JSON of the notification, ${errors}: ${body}`);
  }
}

/** The limit by which a pair differs over a body: without what it is about, they agree. */
function limitOf(pair: (typeof PAIRS)[number], body: string): LimitName | undefined {
  let fields = readWire(body);
  for (const name of pair.limits) {
    const rest = WITHOUT[name](fields);
    if (rest === undefined) continue;
    fields = rest;
    const text = writeWire(rest);
    if (pair.validate(readJson(text)) === pair.parses(text)) return name;
  }
  return undefined;
}

function isFlawless(result: ParseResult<PaymentNotification>): boolean {
  return result.success && result.notification.warnings.length === 0;
}

/** The value of a body's text; undefined for what is no JSON. */
export function readJson(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
