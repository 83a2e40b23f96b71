import type { NotificationType } from '../../parser/errors.js';
import * as advice from './advice.js';
import { type Changes, labeled, plainBody, type TestBody, type TestEvent } from './events.js';
import { encodingsOf } from './forms.js';
import type { Behavior } from './rows.js';
import type { Trial } from './trial.js';
import type { Failure } from './under-test.js';

/** The plainest event, which shows whether the options are right, and another two. */
export const settlesFirst: Behavior = async (trial) => {
  const one = await trial.event({ amount: '1.75' });
  try {
    await trial.settles(one, advice.FIRST);
  } catch (error) {
    throw await withWhatPasses(trial, error as Failure);
  }
  await trial.settles(labeled(await trial.event(), 'another event'), advice.SHARED_KEY);
  // A key of address and amount distinguishes the first two.
  const same = await trial.event({ amount: '1.75' });
  await trial.settles(labeled(same, 'another event of the first amount'), advice.SHARED_KEY);
};

/** Another event that may be settled where the first one failed, and what that shows. */
type Try = readonly [
  name: string,
  hint: string,
  fields?: Changes,
  write?: (event: TestEvent) => TestBody,
];

const triesOf = (type: NotificationType): Try[] => [
  ['Another webhook', 'See the log of the first request'],
  [
    'A webhook without a tag',
    advice.HARMLESS,
    { toTxAddress: 'rExampleXrpAddress111111111111111' },
  ],
  ['A webhook with a later expirationTime', advice.DROPPED, { expirationTime: 4_000_000_000 }],
  ...encodingsOf(type).map(
    ([label, write]): Try => [`A webhook with ${label}`, advice.FORM, {}, write],
  ),
];

/** Says in the failure of the first event what is settled in its place. */
async function withWhatPasses(trial: Trial, failure: Failure): Promise<Failure> {
  // Any other failure is one of the setup, or shows its cause by its amount.
  if (!/^(no change|400|409|422|5\d\d)/.test(failure.actual)) return failure;
  const { event, passes, type } = trial;
  const names = Object.keys(JSON.parse(plainBody(type)));
  const asIs = (one: TestEvent): TestBody => one;
  for (const [name, hint, fields = {}, write = asIs] of triesOf(type)) {
    if (!Object.keys(fields).every((field) => names.includes(field))) continue;
    const tried = event({ amount: '1.75', fields }).then((one) => passes(write(one)));
    if (!(await tried.catch(() => false))) continue;
    failure.message = `${failure.message}. ${name} passes. ${hint}`;
    break;
  }
  return failure;
}
