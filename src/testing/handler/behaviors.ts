import type { NotificationType } from '../../parser/errors.js';
import { Decimal } from '../../parser/values/amount.js';
import { faultsOf, limitsOf } from '../faults.js';
import * as advice from './advice.js';
import { DEPOSITS } from './deposits.js';
import { type Changes, eventAmounts, labeled, plainBody, type TestEvent } from './events.js';
import { settlesFirst } from './first.js';
import { CONTENT_TYPES, encodingsOf, eventForms, harmlessValues, optionalFields } from './forms.js';
import type { DatabasePart, HandlerTestsOptions } from './options.js';
import { type Behavior, type Behaviors, eachIs, FIVE, type Row, together } from './rows.js';
import { secretOf } from './sending.js';
import { WITHDRAWALS } from './withdrawals.js';

/** As a double, 19.99 * 100 is less than 1999, and 1.005 is rounded down. */
const CENTS = ['19.99', '0.29', '0.129', '0.125', '1.005', '8.345'];

/** Amounts that a wrong type, column or rounding changes, by what is special about them. */
const AMOUNTS: readonly (readonly [
  what: string,
  amounts: readonly string[],
  causes: advice.Causes,
])[] = [
  ['18 decimals', ['6543.219876543219876543'], advice.NARROW],
  // More digits than decimal.js calculates with by default.
  ['28 digits', ['1234567890.123456789012345678'], advice.NARROW],
  ['12 digits before the point', ['123456789012.34'], advice.NARROW],
  ['small amounts', ['0.00005', '0.00000015', '1.5e-7', '1.5E-7'], advice.SMALL],
  ['cents, halves and thirds', [...CENTS, '0.666666667', '1.000000005'], advice.NARROW],
];

const TEN_KB = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`unknown${index}`, JSON.stringify('x'.repeat(1_000))]),
);

/** What a handler does with events of one type. The first shows whether the options are right. */
export function behaviorsOf(type: NotificationType, options: HandlerTestsOptions): Behaviors {
  const { breakDatabase, kept, secret, fetch, headers = {} } = options;
  const isDeposit = type === 'deposit.received';
  const moved = isDeposit ? 'credited' : 'debited';
  const currencyName = isDeposit ? 'depositCurrency' : 'withdrawCurrency';
  // A merchant who sets a content type knows what the service sends.
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const forms = eventForms(type);
  const optional = optionalFields(type);
  return {
    [`a plain webhook is ${moved}`]: settlesFirst(type, options),

    // ---- The amount, and what else the body says ----
    [`every form of a webhook is ${moved} once`]: async ({ event, each, settles, repeats }) => {
      const first = await event();
      await settles(first);
      await each([...forms, ...(isTyped ? [] : CONTENT_TYPES)], async (one, [label, write]) => {
        await settles(write(one), advice.onForm(label));
        await repeats(labeled(one, `again, after ${label}`));
      });
      await repeats(labeled(first, 'the first event again'), advice.FORGOTTEN);
    },
    ...Object.fromEntries(
      AMOUNTS.map(([what, amounts, causes]) => [
        `${what} are ${moved} exactly`,
        settlesInBothEncodings(type, amounts, causes),
      ]),
    ),
    'other fields may have any valid value': eachIs('settles', harmlessValues(type)),
    'each optional field may be missing': eachIs('settles', [
      ...optional.map((name): Row => [`without ${name}`, { [name]: undefined }, advice.MISSING]),
      [
        'each of them as null',
        Object.fromEntries(optional.map((name) => [name, null])),
        advice.MISSING,
      ],
    ]),
    'an unknown field changes nothing': async ({ events, settles, repeats }) => {
      const [one, two, three] = await events([{}, {}, {}]);
      await settles(one.with({}, 'a number', { unknownField: '1.50' }));
      await repeats(labeled(one, 'again, without the unknown field'));
      await settles(two.with({}, 'an object', { unknownField: '{"amount":[1.50,null]}' }));
      await settles(three.with({}, '\\u0000', { unknownField: '"\\u0000"' }), advice.NUL);
    },
    [`a body of 10 kB is ${moved}${fetch ? '' : ', and one that arrives in two parts'}`]: async ({
      event,
      settles,
    }) => {
      await settles((await event()).with({}, 'a body of 10 kB', TEN_KB), advice.LARGE);
      // A fetch of the merchant need not know a body that is a stream.
      if (fetch) return;
      const parted = labeled(await event(), 'in two parts');
      await settles({ ...parted, isParted: true }, advice.PARTS);
    },
    [`a currency of three, four or five letters is ${moved}, or saved for review`]: eachIs(
      'settlesOrReviews',
      ['ETH', 'DOGE', 'MATIC'].flatMap((code) =>
        [currencyName, 'settlementCurrency'].map((name): Row => {
          return [`${name} ${code}`, { [name]: code }, advice.CURRENCY];
        }),
      ),
    ),
    ...(isDeposit ? DEPOSITS : WITHDRAWALS),

    // ---- The key ----
    [`two events with the same transactionId are ${moved}, and two without any`]: async (trial) => {
      const hashOf = ({ seed }: TestEvent): string => `0x${seed.toString(16).padStart(64, '0')}`;
      for (const idOf of [hashOf, () => null, () => undefined]) {
        const [one, two] = await trial.events([{}, {}]);
        const transactionId = idOf(one);
        const label = `transactionId ${transactionId}`;
        const answer = transactionId ? advice.NARROW.answer : advice.MISSING;
        await trial.settles(one.with({ transactionId }, label), {
          change: advice.SHARED_KEY,
          answer,
        });
        await trial.settles(two.with({ transactionId }, `${label} again`), advice.SHARED_KEY);
      }
    },
    [`a known key with another amount, order or currency changes no balance${kept ? ', and is saved for review' : ''}`]:
      reviewsConflicts(type, currencyName),

    // ---- What can't be settled, or not yet ----
    ...(secret === null ? {} : { 'a wrong secret is refused': turnsStrangersAway(options) }),
    [`faulty bodies change no balance, and are ${kept ? 'saved' : 'refused'}`]: async (trial) => {
      const one = await trial.event();
      for (const { label, body } of faultsOf(one.body)) {
        await trial.refuses({ ...one, body, label }, advice.onFault(label));
      }
      await trial.settles(labeled(one, 'the valid body'), advice.onParser());
    },
    [`different faulty bodies at the same time are ${kept ? 'saved' : 'refused'}`]: async (
      trial,
    ) => {
      const events = await trial.events(FIVE);
      const label = 'different faults';
      const bodies = events.map((one, index) => {
        return { ...one, ...faultsOf(one.body).at(-1 - index), label };
      });
      await trial.refuses(bodies, advice.onFault(label));
      for (const one of events)
        await trial.settles(labeled(one, 'the valid body'), advice.onParser());
    },
    [`edge cases are refused, or ${moved} exactly`]: ({ each, settlesOrRefuses, settles }) =>
      each(limitsOf(plainBody(type)), async (one, { label }) => {
        const limit = limitsOf(one.body).find((fault) => fault.label === label);
        await settlesOrRefuses({ ...one, ...limit }, one, advice.onParser(label));
        await settles(labeled(one, 'the valid body'), advice.onParser(label));
      }),
    [`a webhook of an unknown order is ${moved} after the order is inserted`]: async (trial) => {
      const { event, settles, unsettled, know, repeats } = trial;
      // These two show whether `prepare` also gives the customer money for an order, and how much.
      for (const known of [await event(), await event()]) await settles(known);
      const one = await event({ known: false });
      const early = await unsettled(labeled(one, 'an unknown order'));
      await know(one, early);
      await settles(labeled(one, 'now known'), advice.NEW_ORDER);
      await repeats(labeled(one, 'again'));
    },

    // ---- At the same time ----
    [`five copies at the same time are ${moved} once`]: ({ races, settles }) =>
      races([{}], (events) => settles(events, {}, 5)),
    [`five ${isDeposit ? 'orders of one customer' : 'withdrawals'} at the same time add up`]: ({
      races,
      settles,
    }) => races(FIVE, (events) => settles(together(events), advice.RACE)),
    ...(breakDatabase ? { ...outages('balances', moved), ...outages('keys', moved) } : {}),
  };
}

/** What one encoding keeps, the other may lose. */
function settlesInBothEncodings(
  type: NotificationType,
  amounts: readonly string[],
  causes: advice.Causes,
): Behavior {
  const name = type === 'deposit.received' ? 'actualDepositAmount' : 'actualWithdrawAmount';
  const forms = encodingsOf(type);
  const rows = amounts.flatMap((amount) => forms.map((form) => [amount, ...form] as const));
  return ({ each, settles }) =>
    each(
      rows,
      (one, [amount, label, write]) => settles(labeled(write(one), `${amount}, ${label}`), causes),
      ([amount]) => ({ amount: new Decimal(amount).toFixed(), fields: { [name]: amount } }),
    );
}

/** Other secrets: each differs in another way from the right one. */
const OTHER_SECRETS: Readonly<Record<string, (secret: string) => string>> = {
  'a wrong secret': (secret) => 'x'.repeat(secret.length),
  'a secret without its last character': (secret) => secret.slice(0, -1),
  'a secret with one more character': (secret) => `${secret}x`,
  'a secret in upper case': (secret) => secret.toUpperCase(),
  'a secret in lower case': (secret) => secret.toLowerCase(),
  'no secret': () => '',
};

const turnsStrangersAway =
  (options: HandlerTestsOptions): Behavior =>
  async ({ event, turnsAway, settles }) => {
    const right = secretOf(options);
    const one = await event();
    for (const [label, write] of Object.entries(OTHER_SECRETS)) {
      const secret = write(right);
      if (secret === right) continue;
      await turnsAway(
        { ...labeled(one, label), secret },
        { change: advice.SECRET, answer: advice.SECRET },
      );
    }
    await settles(labeled(one, 'with the right secret'));
  };

function reviewsConflicts(type: NotificationType, currencyName: string): Behavior {
  return async ({ event, each, settles, reviews }) => {
    // Its own event is sent later, so that a key of the order is found as well.
    const other = await event();
    const coins = { displayCurrency: 'CHF', settlementCurrency: 'PYUSD' };
    const conflicts: Readonly<Record<string, Changes>> = {
      'with a larger amount': eventAmounts(type, '7'),
      'with a smaller amount': eventAmounts(type, '0.5'),
      'with another last digit': eventAmounts(type, '0.750000000000000001'),
      'of another order': other.order,
      'in another currency': { ...coins, [currencyName]: 'LTC' },
    };
    await each(Object.entries(conflicts), async (one, [label, changes]) => {
      await settles(one);
      await reviews(one.with(changes, label), advice.REPEATED, advice.UNCOMPARED);
    });
    await settles(labeled(other, 'the event of the other order'), advice.REPEATED);
  };
}

function outages(part: DatabasePart, moved: string): Behaviors {
  return {
    [`a webhook is ${moved} once after writes to the ${part} failed`]: async ({
      events,
      settles,
      survives,
    }) => {
      const [known, one] = await events([{}, { amount: '0.5' }]);
      await settles(known);
      await survives(part, labeled(known, 'again'));
      await survives(part, one);
      await settles(labeled(one, 'after the repair'), advice.MENDED);
    },
    [`copies are ${moved} once after writes to the ${part} failed`]: async ({
      event,
      settles,
      survives,
    }) => {
      const one = await event();
      // 15 failures empty a pool of connections, if each leaves one in use.
      for (let times = 1; times <= 3; times += 1) await survives(part, one, 5);
      await settles(labeled(one, 'after the repair'), advice.MENDED, 5);
    },
  };
}

/** What a handler does that receives both types. */
export const BOTH: Behaviors = {
  'deposits and withdrawals of one customer at the same time add up': async (trial) => {
    const { withdrawCurrency, settlementCurrency } = JSON.parse(plainBody('withdrawal.broadcast'));
    const fields = { depositCurrency: withdrawCurrency, settlementCurrency };
    const withdrawal = { type: 'withdrawal.broadcast' } as const;
    // A deposit alone might be the first of all in this currency, before `prepare` has set it up.
    const [one, other] = await trial.events([{ fields }, { ...withdrawal, amount: '0.5' }]);
    await trial.settlesOrReviews(labeled(one, `a deposit in ${withdrawCurrency}`), advice.CURRENCY);
    await trial.settles(labeled(other, 'a withdrawal'));
    const wanted = FIVE.map((five, index) => ({
      ...five,
      ...(index % 2 ? withdrawal : { fields }),
    }));
    await trial.races(wanted, (events) => trial.settles(together(events), advice.RACE));
  },
};
