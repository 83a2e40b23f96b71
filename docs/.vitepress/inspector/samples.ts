import { data, type Sample } from './samples.data';

const GROUPS = {
  'deposit-received': 'Deposits',
  'withdrawal-broadcast': 'Withdrawals',
  invalid: 'Faulty bodies',
} as const;

export const sampleGroups: readonly { label: string; samples: Sample[] }[] = Object.entries(
  GROUPS,
).map(([folder, label]) => ({
  label,
  samples: data.filter(({ id }) => id.startsWith(`${folder}/`)),
}));
