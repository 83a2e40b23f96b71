// The fixtures, to try the page with. A body over the limit would be half of the page, and one that is not
// UTF-8 is no text.
const files = import.meta.glob<string>(
  [
    '../../../fixtures/*/*.{json,txt}',
    '!**/*.expected.json',
    '!**/too-large.json',
    '!**/not-utf-8.txt',
  ],
  { query: '?raw', import: 'default', eager: true },
);

const GROUPS = {
  'deposit-received': 'Deposits',
  'withdrawal-broadcast': 'Withdrawals',
  invalid: 'Faulty bodies',
} as const;

export interface Sample {
  readonly id: string;
  readonly label: string;
  readonly body: string;
}

export const sampleGroups: readonly { label: string; samples: Sample[] }[] = Object.entries(
  GROUPS,
).map(([folder, label]) => ({
  label,
  samples: Object.entries(files)
    .filter(([path]) => path.includes(`/${folder}/`))
    .map(([path, body]) => {
      const name = path.replace(/^.*\/|\.\w+$/g, '');
      const words = name.replaceAll('-', ' ');
      return { id: `${folder}/${name}`, label: words[0]?.toUpperCase() + words.slice(1), body };
    }),
}));
