import { setImmediate as tick } from 'node:timers/promises';
import {
  Decimal,
  type DepositReceived,
  idempotencyKey,
  type PaymentNotification,
  safeParseNotification,
  type WithdrawalBroadcast,
} from 'payment-notifications';
import type { DatabasePart, HandlerTestsOptions } from 'payment-notifications/testing';
import { patientTests } from '../../../src/testing/handler/tests.js';

/** What an event adds to whose balance. The amount is null if it is saved for review. */
export interface Move {
  readonly key: string;
  readonly account: string;
  readonly currency: string;
  readonly amount: Decimal | null;
}

/** A database in memory, of which a part can fail. */
class Database {
  broken: DatabasePart | null = null;
  readonly keys = new Map<string, Move>();
  readonly inReview = new Set<string>();
  /** The customer of each order. */
  readonly orders = new Map<string, string>();
  /** What a handler remembers outside of its database. */
  readonly memory = new Map<string, unknown>();
  readonly #balances = new Map<string, Decimal | number>();

  use(part: DatabasePart): void {
    if (this.broken === part) throw new Error('the database failed');
  }

  get({ account, currency }: Move): Decimal | number {
    return this.#balances.get(`${account} ${currency}`) ?? 0;
  }

  set(move: Move, after: Decimal | number): void {
    this.use('balances');
    this.#balances.set(`${move.account} ${move.currency}`, after);
  }

  add(move: Move): void {
    this.set(move, new Decimal(this.get(move)).plus(move.amount ?? 0));
  }

  total(currency: string): Decimal {
    const all = [...this.#balances].filter(([name]) => name.endsWith(` ${currency}`));
    return all.reduce((sum, [, balance]) => sum.plus(balance), new Decimal(0));
  }

  /** True for the first time. */
  once(name: unknown): boolean {
    const isFirst = !this.memory.has(`${name}`);
    this.memory.set(`${name}`, true);
    return isFirst;
  }
}

/** The fields of either notification: a test sends only one type. */
type Fields = Readonly<
  Omit<DepositReceived, 'type' | 'status'> & Omit<WithdrawalBroadcast, 'type' | 'status'>
> & { readonly type: PaymentNotification['type']; readonly status: string };

/** A request, as a handler reads it. */
export interface Call {
  readonly db: Database;
  readonly one: Fields;
  readonly body: Buffer;
  readonly json: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly move: Move & { readonly amount: Decimal };
  /** Settles once, as it is right, but perhaps with another key, currency or amount. */
  readonly settle: (
    other?: Partial<Omit<Move, 'amount'>> & { readonly amount?: Decimal | number | string | null },
  ) => number;
  readonly review: (status: number) => number;
}

/** Answers with a status. */
export type Handler = (call: Call) => number | Promise<number>;

export const right: Handler = ({ settle }) => settle();
/** Stores a faulty body, and refuses it. */
const refuse: Handler = ({ review }) => review(400);

export const isSame = (one: Move, other: Move) =>
  one.account === other.account &&
  one.currency === other.currency &&
  `${one.amount}` === `${other.amount}`;

function moveOf(one: PaymentNotification): Move {
  const key = idempotencyKey(one);
  if (one.type === 'deposit.received') {
    const { clientPaymentId, depositCurrency, actualDepositAmount } = one;
    return {
      key,
      account: clientPaymentId,
      currency: depositCurrency,
      amount: actualDepositAmount,
    };
  }
  const { clientWithdrawalId: account, withdrawCurrency, actualWithdrawAmount } = one;
  const amount = one.status === 'COMPLETED' ? (actualWithdrawAmount?.negated() ?? null) : null;
  return { key, account, currency: `${withdrawCurrency}`, amount };
}

export const orderOf = (one: PaymentNotification) => moveOf(one).account;

/** A fault, the cause that the failure names, and the handler that has it. */
export type Fault = readonly [fault: string, cause: string, handler: Handler, onFaulty?: Handler];
export const fault = (name: string, cause: string, handler: Handler): Fault => {
  return [name, cause, handler];
};
/** A fault in what a handler does with bodies that the parser refuses. */
export const onFaulty = (name: string, cause: string, handler: Handler): Fault => {
  return [name, cause, right, handler];
};

const PATH = '/callbacks/0123456789abcdef-Secret';
const URL_OF_SHOP = `http://127.0.0.1${PATH}`;
export const isRight = (url: string) => url.endsWith(PATH);

/** A shop with a handler, and what the tests of a handler need of it. */
export function shop(handler: Handler = right, onFaulty: Handler = refuse): HandlerTestsOptions {
  const db = new Database();
  async function handle(body: Buffer): Promise<number> {
    const text = body.toString();
    const { notification } = safeParseNotification(body);
    const review = (status: number) => {
      db.inReview.add(text);
      return status;
    };
    const json = /^\{.*\}\s*$/s.test(text) ? JSON.parse(text) : {};
    const one = notification as unknown as Fields;
    const usual = notification ? moveOf(notification) : null;
    const settle: Call['settle'] = (other = {}) => {
      const given = other.amount === undefined ? usual?.amount : other.amount;
      const move: Move = {
        ...(usual as Move),
        ...other,
        amount: given == null ? null : new Decimal(given),
      };
      const movesNothing = one?.type === 'withdrawal.broadcast' && one.status !== 'COMPLETED';
      if (move.amount === null) return movesNothing ? 200 : review(200);
      db.use('keys');
      db.use('balances');
      const known = db.keys.get(move.key);
      if (known) return isSame(known, move) ? 200 : review(200);
      db.keys.set(move.key, move);
      db.add(move);
      return 200;
    };
    const key = usual?.key ?? '';
    const call = { db, one, body, json, key, move: usual, settle, review } as Call;
    try {
      return await (notification ? handler : onFaulty)(call);
    } catch {
      return 500;
    }
  }
  return {
    url: URL_OF_SHOP,
    async fetch(url, { body }) {
      // As a network does. Without it, handlers that are tested at the same time would run without
      // a turn of the loop between them, and the timers of one would wait for all others.
      await tick();
      const bytes = Buffer.from(typeof body === 'string' ? body : new Uint8Array(body));
      const status = isRight(url) ? await handle(bytes) : 404;
      return { status, text: async () => '' };
    },
    async balance(currency) {
      db.use('balances');
      return db.total(currency).toString();
    },
    // A count of PostgreSQL is text.
    kept: async () => `${db.inReview.size}`,
    async prepare(notifications) {
      // As a database refuses an INSERT without rows, and a second row of one order.
      if (notifications.length === 0) throw new Error('a syntax error');
      const customer = `customer ${db.orders.size}`;
      for (const one of notifications) {
        if (db.orders.has(`${one.type} ${orderOf(one)}`)) throw new Error('a unique violation');
        db.orders.set(`${one.type} ${orderOf(one)}`, customer);
      }
    },
    async breakDatabase(part) {
      db.broken = part;
      return async () => {
        db.broken = null;
      };
    },
  };
}

/** The customer of an order, if it is known. */
export const customerOf = ({ db, one, move }: Call): string | undefined =>
  db.orders.get(`${one.type} ${move.account}`);

/** What never moves is found at once. The sums of doubles are right for three rounds. */
export const NO_WAIT = { quietMs: 1, answeredMs: 0, mendedMs: 0, rounds: 4 };

/** The tests that fail, with their errors. */
export async function failuresOf(
  options: HandlerTestsOptions,
  fits: (name: string) => boolean = () => true,
  patience = NO_WAIT,
): Promise<Record<string, Error>> {
  const failures: Record<string, Error> = {};
  for (const { name, run } of patientTests(options, patience).filter((one) => fits(one.name))) {
    await run().catch((error) => {
      failures[name] = error;
    });
  }
  return failures;
}

/** How a test fails, without the name of what was sent. */
export async function failureOf(
  options: Partial<HandlerTestsOptions>,
  name = 'deposit: a plain webhook is credited',
) {
  const failures = await failuresOf({ ...shop(), ...options }, (one) => one === name);
  return failures[name]?.message.replace(/^.*?\(.*?seed \d+\): /, '');
}

/** A balance that differs from the right one after some readings. */
export function balanceWith(changeOf: (balance: Decimal, calls: number) => Decimal) {
  const { balance, ...others } = shop();
  let calls = 0;
  const changed = async (code: string) => {
    calls += 1;
    return changeOf(new Decimal((await balance(code)) ?? 0), calls);
  };
  return { ...others, balance: changed };
}

export { tick };
