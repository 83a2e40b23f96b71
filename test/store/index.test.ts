import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createStore } from 'payment-notifications/store';
import { describe, expect, test } from 'vitest';
import { bytes } from '../receiver/setup.js';
import {
  hold,
  NAME,
  openFiles,
  PLACES,
  saved,
  temporaryFolder,
  textOf,
  watchFiles,
} from './setup.js';

const { base, folder, pathOf, files, state, leave } = temporaryFolder();
const [progress, retry, review] = PLACES.map((place) => join(folder, place)) as [
  ...[string, string, string],
];
const timeOf = (file: string) => fs.statSync(pathOf(file)).mtime;

describe('what is saved', () => {
  test('is in folders that are on the disk before, and that Git ignores', async () => {
    const done = await watchFiles();
    createStore(folder);
    const paths = [folder, progress, retry, review];
    expect(done.sort()).toStrictEqual([base, ...paths].map((path) => `sync ${path}`).sort());
    for (const path of paths) expect(fs.statSync(path).mode & 0o777).toBe(0o700);
    expect(textOf(join(folder, '.gitignore'))).toBe('/.gitignore\n/progress/\n/retry/\n/review/\n');
    fs.writeFileSync(join(folder, '.gitignore'), 'own');
    createStore(folder);
    expect(textOf(join(folder, '.gitignore'))).toBe('own');
    for (const place of PLACES) expect(files(place)).toStrictEqual([]);
  });

  test.each(PLACES)('is on the disk by two syncs, in order, if it is new: %s', async (to) => {
    const { save } = createStore(folder);
    const done = await watchFiles();
    await save(saved('{}', { to }));
    const [path, file] = [join(folder, to), pathOf(`${to}.json`)];
    expect(done).toStrictEqual([`writeFile ${file}`, `sync ${file}`, `sync ${path}`]);
    const reason = to === 'progress' ? {} : { [`${to}.txt`]: 'no\n' };
    expect(state()).toStrictEqual({ [`${to}.json`]: '{}', ...reason });
    for (const name of Object.keys(state()))
      expect(fs.statSync(pathOf(name)).mode & 0o777).toBe(0o600);
    expect(openFiles(folder)).toStrictEqual([]);
  });

  test('moves, is claimed by a round, and is removed without a sync, with its first time', async () => {
    const { save, list, remove } = createStore(folder);
    const since = leave(pathOf('progress.json'), '{}', 90);
    const done = await watchFiles();
    const steps = [
      { to: 'retry' },
      { to: 'progress', from: true },
      { to: 'retry' },
      { to: 'progress' }, // delivered again
      { to: 'review' },
    ] as const;
    for (const { to, ...more } of steps) {
      const from = 'from' in more ? (await list())[0] : undefined;
      await save(saved('{}', { to, from }));
      expect([to, timeOf(`${to}.json`)]).toStrictEqual([to, since]);
      const bodies = Object.keys(state()).filter((file) => file.endsWith('json'));
      expect(bodies).toStrictEqual([`${to}.json`]);
    }
    await remove(NAME);
    await remove(NAME); // another process was first
    expect([state(), done]).toStrictEqual([{}, []]);
  });

  test.each(PLACES.flatMap((place) => (['retry', 'review'] as const).map((to) => ({ place, to }))))(
    'in $place, goes to $to with its reason, unless it is in review',
    async ({ place, to }) => {
      const { save, list, read } = createStore(folder);
      const since = leave(pathOf(`${place}.json`), '{}', 90);
      leave(pathOf(`${place}.txt`), 'an earlier reason\n', 80);
      await save(saved('{}', { to, reason: 'the order is unknown' }));
      const at = place === 'review' ? 'review' : to;
      const left = { [`${at}.json`]: '{}', [`${at}.txt`]: 'the order is unknown\n' };
      expect(state()).toStrictEqual(left);
      expect(timeOf(`${at}.json`)).toStrictEqual(since);
      const entry = { name: NAME, place: 'retry', since: expect.any(Date), tries: 0 };
      expect(await list()).toStrictEqual(at === 'retry' ? [entry] : []);
      if (at === 'retry') expect((await list())[0]?.since).toStrictEqual(timeOf('retry.txt'));
      expect(await read(NAME)).toStrictEqual(at === 'retry' ? Buffer.from('{}') : null);
    },
  );

  test('is removed from everywhere, with what was written about it', async () => {
    const { remove } = createStore(folder);
    for (const place of PLACES)
      for (const end of ['json', 'txt']) fs.writeFileSync(pathOf(`${place}.${end}`), '{}');
    await remove(NAME);
    expect(state()).toStrictEqual({});
  });

  test.each([
    ['{', '{}', '{}'],
    ['\0\0', '{}', '{}'],
    ['', '{}', '{}'],
    ['{}}', '{}', '{}'],
  ])('is whole: %j in any place makes room for %j', async (found, body, left) => {
    const { save } = createStore(folder);
    for (const place of PLACES) {
      for (const to of ['retry', 'review'] as const) {
        leave(pathOf(`${place}.json`), found, 2);
        await save(saved(body, { to }));
        expect(state()[`${to}.json`]).toBe(left);
        for (const file of Object.keys(state())) fs.rmSync(pathOf(file));
      }
    }
  });

  test('is written over a half one, and not read from there, when it is delivered again', async () => {
    const { save, remove } = createStore(folder);
    for (const place of PLACES) leave(pathOf(`${place}.json`), '{', 2);
    const done = await watchFiles();
    await save(saved('{}'));
    expect(state()['progress.json']).toBe('{}');
    expect(done).toHaveLength(3);
    await remove(NAME);
    expect(state()).toStrictEqual({});
  });

  test.each(PLACES.flatMap((place) => (['retry', 'review'] as const).map((to) => ({ place, to }))))(
    'stays whole in $place, if a half one is saved in $to',
    async ({ place, to }) => {
      const { save } = createStore(folder);
      for (const half of ['progress.json', `${to}.json`]) leave(pathOf(half), '{', 2);
      leave(pathOf(`${place}.json`), '{}', 2);
      await save(saved('{', { to }));
      const at = place === 'review' ? 'review' : to;
      expect(state()).toMatchObject({ [`${at}.json`]: '{}', [`${at}.txt`]: 'no\n' });
      if (at === to) expect(Object.keys(state())).toHaveLength(2);
    },
  );

  test('is read from where it is whole, and half only if it is nowhere whole', async () => {
    const { read } = createStore(folder);
    const texts = async () => `${await read(NAME)}`;
    expect(await read(NAME)).toBeNull();
    leave(pathOf('retry.json'), '{', 2);
    expect(await texts()).toBe('{');
    leave(pathOf('progress.json'), '{}', 2);
    expect(await texts()).toBe('{}');
    leave(pathOf('retry.json'), '{}', 2);
    leave(pathOf('progress.json'), '{', 2);
    expect(await texts()).toBe('{}');
  });

  test('may have a name without a digest. Then every body is whole', async () => {
    const { save } = createStore(folder);
    leave(pathOf('retry.json', 'own'), '{', 2);
    for (const body of ['{', '{}']) {
      await save(saved(body, { name: 'own', to: 'review' }));
      expect(state('own')).toStrictEqual({ 'review.json': '{', 'review.txt': 'no\n' });
    }
  });

  test('may be saved by several processes at the same time', async () => {
    const [one, other] = [createStore(folder), createStore(folder)];
    await Promise.all([one, other, one, other].map(({ save }) => save(saved('{}'))));
    expect(state()['progress.json']).toBe('{}');
    await Promise.all([
      one.save(saved('{}', { to: 'retry' })),
      other.save(saved('{}', { to: 'review' })),
      one.save(saved('{}')),
    ]);
    const bodies = Object.entries(state()).filter(([file]) => file.endsWith('json'));
    expect(bodies).not.toHaveLength(0);
    for (const [, body] of bodies) expect(body).toBe('{}');
  });

  test.each([
    ['removes', 'progress', 'open', () => fs.rmSync(pathOf('progress.json'))],
    [
      'claims',
      'retry',
      'rename',
      () => fs.renameSync(pathOf('retry.json'), pathOf('progress.json')),
    ],
    ['settles', 'retry', 'rename', () => fs.rmSync(pathOf('retry.json'))],
  ] as const)(
    'is in progress, if another process %s it meanwhile in %s',
    async (_, place, step, act) => {
      const { save } = createStore(folder);
      leave(pathOf(`${place}.json`), '{}', 2);
      const { held, end } = hold(step, 1);
      const saving = save(saved('{}'));
      while (held.length === 0) await new Promise(setImmediate);
      act();
      end();
      await saving;
      expect(Object.keys(state()).filter((file) => file.endsWith('json'))).toStrictEqual([
        'progress.json',
      ]);
      expect(state()['progress.json']).toBe('{}');
    },
  );

  test('is not listed, if another process settles it meanwhile', async () => {
    const { list } = createStore(folder);
    leave(pathOf('progress.json'), '{}', 2);
    const { held, end } = hold('stat', 1);
    const listing = list();
    while (held.length === 0) await new Promise(setImmediate);
    fs.rmSync(pathOf('progress.json'));
    end();
    expect(await listing).toStrictEqual([]);
  });
});

describe('a claim', () => {
  test('counts from the first arrival, and then from when it was last delivered', async () => {
    const { save, list } = createStore(folder);
    await save(saved('{}'));
    expect(Object.keys(state())).toStrictEqual(['progress.json']);
    const since = leave(pathOf('progress.json'), '{}', 90);
    const entry = { name: NAME, place: 'progress', since, tries: 1 };
    expect(await list()).toStrictEqual([entry]);
    leave(pathOf('progress.txt'), 'in progress, try 3\n', 60);
    expect(await list()).toMatchObject([{ tries: 3 }]);
    const before = Date.now();
    await save(saved('{}'));
    const [claimed] = await list();
    expect(claimed).toMatchObject({ place: 'progress', tries: 3 });
    expect(Number(claimed?.since)).toBeGreaterThan(before - 1000); // a disk may round its times
    expect(timeOf('progress.json')).toStrictEqual(since);
  });

  test('of a new body doesn’t count from the text of an earlier one', async () => {
    const { save, list } = createStore(folder);
    leave(pathOf('progress.txt'), 'in progress, try 3\n', 60);
    await save(saved('{}'));
    expect(await list()).toMatchObject([{ since: timeOf('progress.json'), tries: 1 }]);
  });

  test('of a body in review begins no move: no round takes it', async () => {
    const { save, list } = createStore(folder);
    leave(pathOf('review.json'), '{}', 60);
    await save(saved('{}'));
    expect([state(), await list()]).toStrictEqual([{ 'review.json': '{}' }, []]);
  });

  test.each(['', 'in progr'])('whose text is %j, is the first try', async (text) => {
    const { list } = createStore(folder);
    leave(pathOf('progress.json'), '{}', 9);
    const since = leave(pathOf('progress.txt'), text, 8);
    expect(await list()).toStrictEqual([{ name: NAME, place: 'progress', since, tries: 1 }]);
  });

  test.each(['round', 'delivery'])(
    'of a %s is said before the body moves, and rounds count each try',
    async (by) => {
      const { save, list } = createStore(folder);
      leave(pathOf('retry.json'), '{}', 90);
      const { held, end } = hold('rename', 1);
      const from = by === 'round' ? (await list())[0] : undefined;
      const saving = save(saved('{}', { from }));
      while (held.length === 0) await new Promise(setImmediate);
      expect(state()).toStrictEqual({ 'retry.json': '{}', 'progress.txt': 'in progress, try 1\n' });
      end();
      expect(await saving).not.toBe(false);
      for (const tries of [2, 3]) {
        const [again] = await list();
        expect(await save(saved('{}', { from: again }))).not.toBe(false);
        const left = { 'progress.json': '{}', 'progress.txt': `in progress, try ${tries}\n` };
        expect(state()).toStrictEqual(left);
      }
    },
  );

  test.each<[string, 'progress' | 'retry', () => unknown]>([
    ['is removed', 'retry', () => fs.rmSync(pathOf('retry.json'))],
    ['is removed', 'progress', () => fs.rmSync(pathOf('progress.json'))],
    ['has moved', 'retry', () => fs.renameSync(pathOf('retry.json'), pathOf('review.json'))],
    ['was claimed', 'progress', () => leave(pathOf('progress.txt'), 'in progress, try 2\n', 1)],
    ['was tried', 'retry', () => leave(pathOf('retry.txt'), 'no\n', 1)],
  ])('fails and changes nothing, if what was listed %s: %s', async (_, place, change) => {
    const { save, list } = createStore(folder);
    leave(pathOf(`${place}.json`), '{}', 90);
    const [from] = await list();
    change();
    const before = state();
    expect(await save(saved('{}', { from }))).toBe(false);
    expect(state()).toStrictEqual(before);
  });

  test('of a body in retry is of one process, if two take it at the same time', async () => {
    const stores = [createStore(folder), createStore(folder)];
    const names = Array.from({ length: 200 }, (_, index) => `a${index}`);
    for (const name of names) leave(pathOf('retry.json', name), '{}', 90);
    const listed = (await stores[0]?.list()) ?? [];
    const take = (from: (typeof listed)[number]) =>
      Promise.all(stores.map(({ save }) => save(saved('{}', { name: from.name, from }))));
    const taken = await Promise.all(listed.map(take));
    const winners = taken.map((results) => results.filter((result) => result !== false).length);
    expect(winners).toStrictEqual(names.map(() => 1));
    expect(files('retry')).toStrictEqual([]);
  });
});

test('other files are left alone and never read: the folder may be a wrong one', async () => {
  const { list } = createStore(folder);
  for (const place of [progress, retry]) {
    for (const name of ['a.json', 'a.txt', '.env', 'notes', '.a.json', 'a.json.gz'])
      leave(join(place, name), '{}', 500);
    fs.mkdirSync(join(place, 'folder.json'));
    fs.symlinkSync('a.json', join(place, 'link.json'));
    execFileSync('mkfifo', [join(place, 'pipe.json')]); // to read it would hang
  }
  const listed = (await list()).map(({ name, place }) => `${place}/${name}`);
  expect(listed).toStrictEqual(['progress/a', 'retry/a']);
  expect(files('retry')).toHaveLength(9);
});

test('20,000 bodies that wait are listed in less than 20 MB', async () => {
  const script = `
    import fs from 'node:fs';
    import { createStore } from './src/store/index.ts';
    const [folder] = process.argv.slice(1);
    const { list } = createStore(folder);
    const key = 'deposit.received.018f3f9a-8c1d-7e34-9f20-6a51b3c2d4e5.';
    for (let index = 0; index < 20_000; index += 1) {
      const name = folder + '/retry/' + key + index.toString(16).padStart(16, '0');
      fs.writeFileSync(name + '.json', '{}');
      if (index % 2) fs.writeFileSync(name + '.txt', 'no');
    }
    const used = () => (gc(), process.memoryUsage().heapUsed);
    await list();
    const before = used();
    const listed = await list();
    console.log(JSON.stringify([listed.length, (used() - before) / 1e6]), listed.length);`;
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', script, folder];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const [length, megabytes] = JSON.parse(stdout.split(' ')[0] ?? '');
  expect(length).toBe(20_000);
  expect(megabytes).toBeLessThan(20);
});

test('bytes of any kind are saved as they came', async () => {
  const { save, read } = createStore(folder);
  const body = bytes('\u0000\ud83d\ude00').map((byte) => byte ^ 0xff);
  await save({ ...saved(''), name: 'own', body });
  expect(await read('own')).toStrictEqual(Buffer.from(body));
});
