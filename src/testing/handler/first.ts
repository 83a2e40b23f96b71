import type { NotificationType } from '../../parser/errors.js';
import * as advice from './advice.js';
import { type Changes, labeled, type TestBody, type TestEvent } from './events.js';
import { encodingsOf } from './forms.js';
import type { HandlerTestsOptions } from './options.js';
import type { Behavior } from './rows.js';
import type { Trial } from './trial.js';

/** The plainest event, which shows whether the options are right, and another two. */
export const settlesFirst =
  (type: NotificationType, { prepare }: HandlerTestsOptions): Behavior =>
  async (trial) => {
    const one = await trial.event({ amount: '1.75' });
    // A handler may take the network for the currency.
    const { network } = JSON.parse(one.body);
    if (network) await trial.watchAlso(network);
    try {
      await trial.settles(one, prepare ? advice.FIRST : advice.FIRST_WITHOUT_PREPARE);
    } catch (error) {
      const failure = error as Error & { readonly actual?: string };
      // Any other failure is one of the setup, or shows its cause by its amount.
      const mayHideCause = /^(no change|400|409|422|5\d\d)/.test(`${failure.actual}`);
      if (mayHideCause) failure.message += await whatPasses(trial, type);
      throw failure;
    }
    await trial.settles(labeled(await trial.event(), 'another event'), advice.SHARED_KEY);
    // A key of address and amount distinguishes the first two.
    const same = await trial.event({ amount: '1.75' });
    await trial.settles(labeled(same, 'another event of the first amount'), advice.SHARED_KEY);
  };

/** An event that may be settled where the first one failed, and what that shows. */
type Try = readonly [
  name: string,
  hint: string,
  fields?: Changes,
  write?: (event: TestEvent) => TestBody,
];

const triesOf = (type: NotificationType): Try[] => [
  ['Another webhook', 'See the log of the first request'],
  type === 'deposit.received'
    ? ['A webhook with a later expirationTime', advice.DROPPED, { expirationTime: 4_000_000_000 }]
    : [
        'A webhook without a tag',
        advice.HARMLESS,
        { toTxAddress: 'rExampleXrpAddress111111111111111' },
      ],
  ...encodingsOf(type).map(
    ([label, write]): Try => [`A webhook with ${label}`, advice.onForm(label), {}, write],
  ),
];

/** Says which other event is settled; empty if none is. */
async function whatPasses({ event, settlesSoon }: Trial, type: NotificationType): Promise<string> {
  const asIs = (one: TestEvent): TestBody => one;
  for (const [name, hint, fields = {}, write = asIs] of triesOf(type)) {
    const tried = event({ amount: '1.75', fields }).then((one) => settlesSoon(write(one)));
    if (await tried.catch(() => false)) return `. ${name} passes. ${hint}`;
  }
  return '';
}
