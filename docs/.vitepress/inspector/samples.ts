import { data, type Sample } from './samples.data';

const GROUPS = {
  'deposit-received': 'Deposits',
  'withdrawal-broadcast': 'Withdrawals',
  invalid: 'Faulty bodies',
} as const;

interface Entry extends Sample {
  readonly label: string;
}

export const sampleGroups: readonly { label: string; samples: Entry[] }[] = Object.entries(
  GROUPS,
).map(([folder, label]) => ({
  label,
  samples: data
    .filter(({ id }) => id.startsWith(`${folder}/`))
    .map((sample) => {
      const words = sample.id.replace(/^.*\//, '').replaceAll('-', ' ');
      return { ...sample, label: words[0]?.toUpperCase() + words.slice(1) };
    }),
}));
