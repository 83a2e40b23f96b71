import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  type Notification,
  type ParseResult,
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

/** A schema and a way of parsing that should tell the same of every body. */
interface Pair {
  readonly name: string;
  /** The limits within which they do. */
  readonly limits: readonly LimitName[];
  readonly validate: (value: unknown) => boolean;
  readonly parses: (body: string) => boolean;
}

const ajv = new Ajv2020({ strict: true });

/** A schema of the package, compiled. */
function compile(name: string): ValidateFunction {
  const url = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  return ajv.compile(JSON.parse(readFileSync(url, 'utf8')));
}

const isAcceptedDeposit = compile('deposit-received.accepted');
const isAcceptedWithdrawal = compile('withdrawal-broadcast.accepted');
/** Whether JSON is that of a notification, by its schema. */
export const isNotification = compile('notification');

const PAIRS: readonly Pair[] = [
  {
    name: 'deposit-received',
    limits: limitsOf('deposit-received'),
    validate: compile('deposit-received'),
    parses: (body) => isFlawless(safeParseDepositReceived(body)),
  },
  {
    name: 'deposit-received.accepted',
    limits: limitsOf('deposit-received.accepted'),
    validate: isAcceptedDeposit,
    parses: (body) => safeParseDepositReceived(body).success,
  },
  {
    name: 'withdrawal-broadcast',
    limits: limitsOf('withdrawal-broadcast'),
    validate: compile('withdrawal-broadcast'),
    parses: (body) => isFlawless(safeParseWithdrawalBroadcast(body)),
  },
  {
    name: 'withdrawal-broadcast.accepted',
    limits: limitsOf('withdrawal-broadcast.accepted'),
    validate: isAcceptedWithdrawal,
    parses: (body) => safeParseWithdrawalBroadcast(body).success,
  },
  {
    name: 'either accepted schema',
    limits: ['size', 'digits', 'exponent', 'identifiers'],
    validate: (value) => isAcceptedDeposit(value) || isAcceptedWithdrawal(value),
    parses: (body) => safeParseNotification(body).success,
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
function limitOf(pair: Pair, body: string): LimitName | undefined {
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

/** The limits that a schema's description names. */
function limitsOf(name: keyof typeof LIMITS_OF): readonly LimitName[] {
  // That one is about parseNotification.
  return LIMITS_OF[name].map((limit) => limit.name).filter((limit) => limit !== 'identifiers');
}

function isFlawless(result: ParseResult<Notification>): boolean {
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
