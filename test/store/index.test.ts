import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { createStore } from 'payment-notifications/store';
import { describe, expect, test } from 'vitest';
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
const bodies = () =>
  Object.fromEntries(Object.entries(state()).filter(([file]) => file.endsWith('json')));
const moveAway = (to: string) => fs.renameSync(pathOf('retry.json'), pathOf(`${to}.json`));
const MOVES = PLACES.flatMap((place) =>
  (['retry', 'review'] as const).map((to) => ({ place, to })),
);

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

  test.each(PLACES)('is also synced if another process has just written it: %s', async (to) => {
    const { save } = createStore(folder);
    leave(pathOf(`${to}.json`), '{}', 0);
    const done = await watchFiles();
    await save(saved('{}', { to }));
    expect(done).toStrictEqual([`sync ${pathOf(`${to}.json`)}`, `sync ${join(folder, to)}`]);
  });

  test('moves, is claimed by a round, and is removed without a sync, with its first time', async () => {
    const { save, list, remove } = createStore(folder);
    const since = leave(pathOf('progress.json'), '{}', 90);
    const done = await watchFiles();
    const expectIn = (place: string) => {
      expect(bodies()).toStrictEqual({ [`${place}.json`]: '{}' });
      expect(timeOf(`${place}.json`)).toStrictEqual(since);
    };
    for (const to of ['retry', 'progress', 'retry'] as const) {
      await save(saved('{}', { to }));
      expectIn(to);
    }
    await save(saved('{}', { from: (await list())[0] }));
    expectIn('progress');
    await save(saved('{}', { to: 'review' }));
    expectIn('review');
    for (const place of PLACES)
      for (const end of ['json', 'txt']) leave(pathOf(`${place}.${end}`), '{}', 2);
    await remove(NAME);
    await remove(NAME); // another process was first
    expect([state(), done]).toStrictEqual([{}, []]);
  });

  test.each(MOVES)(
    'in $place, goes to $to with its reason, unless it is in review',
    async (move) => {
      const { save, list } = createStore(folder);
      leave(pathOf(`${move.place}.json`), '{}', 90);
      leave(pathOf(`${move.place}.txt`), 'an earlier reason\n', 80);
      await save(saved('{}', { to: move.to }));
      const at = move.place === 'review' ? 'review' : move.to;
      expect(state()).toStrictEqual({ [`${at}.json`]: '{}', [`${at}.txt`]: 'no\n' });
      const entry = { name: NAME, place: 'retry', since: expect.any(Date), tries: 0 };
      expect(await list()).toStrictEqual(at === 'retry' ? [entry] : []);
    },
  );

  test.each(MOVES)(
    'stays whole in $place, if a half one is saved in $to',
    async ({ place, to }) => {
      const { save } = createStore(folder);
      for (const half of ['progress.json', `${to}.json`]) leave(pathOf(half), '{', 2);
      leave(pathOf(`${place}.json`), '{}', 2);
      await save(saved('{', { to }));
      const at = place === 'review' ? 'review' : to;
      expect(state()).toMatchObject({ [`${at}.json`]: '{}', [`${at}.txt`]: 'no\n' });
      if (at === to) expect(bodies()).toStrictEqual({ [`${at}.json`]: '{}' });
    },
  );

  test.each(['{', '\0\0', '', '{}}'])('replaces %j, wherever that is', async (found) => {
    const { save } = createStore(folder);
    const toProgress = PLACES.map((place) => ({ place, to: 'progress' }) as const);
    for (const { place, to } of [...MOVES, ...toProgress]) {
      leave(pathOf(`${place}.json`), found, 2);
      await save(saved('{}', { to }));
      expect(state()[`${to}.json`]).toBe('{}');
      for (const file of Object.keys(state())) fs.rmSync(pathOf(file));
    }
  });

  test.each<[retry: string | null, progress: string | null, read: string | null]>([
    [null, null, null],
    ['{', null, '{'],
    ['{', '{}', '{}'],
    ['{}', '{', '{}'],
  ])('is read whole, if it is: %j in retry and %j in progress', async (retry, progress, text) => {
    const { read } = createStore(folder);
    for (const [place, body] of Object.entries({ retry, progress }))
      if (body !== null) leave(pathOf(`${place}.json`), body, 2);
    expect(await read(NAME)).toStrictEqual(text && Buffer.from(text));
  });

  test('may have a name without a digest. Then every body is whole', async () => {
    const { save, read } = createStore(folder);
    await save({ ...saved('', { name: 'own', to: 'retry' }), body: new Uint8Array([0, 255]) });
    expect(await read('own')).toStrictEqual(Buffer.from([0, 255]));
    await save(saved('{}', { name: 'own', to: 'review' }));
    expect(state('own')).toStrictEqual({ 'review.json': '\0\ufffd', 'review.txt': 'no\n' });
  });

  test('may be saved by several processes at the same time', async () => {
    const [one, other] = [createStore(folder), createStore(folder)];
    await Promise.all([one, other, one, other].map(({ save }) => save(saved('{}'))));
    expect(bodies()).toStrictEqual({ 'progress.json': '{}' });
  });

  test.each([
    ['removes', 'progress', 'open', () => fs.rmSync(pathOf('progress.json'))],
    ['claims', 'retry', 'rename', () => moveAway('progress')],
    ['settles', 'retry', 'rename', () => fs.rmSync(pathOf('retry.json'))],
  ] as const)('is in progress, if another process %s it meanwhile in %s', async (...row) => {
    const [, place, step, act] = row;
    const { save } = createStore(folder);
    leave(pathOf(`${place}.json`), '{}', 2);
    const { reached, end } = hold(step, 1);
    const saving = save(saved('{}'));
    await reached();
    act();
    end();
    await saving;
    expect(bodies()).toStrictEqual({ 'progress.json': '{}' });
  });

  test('stays whole, if it is saved for review while a round refuses its half', async () => {
    const { save } = createStore(folder);
    leave(pathOf('progress.json'), '{', 60);
    const { reached, end } = hold('readFile', 3);
    const refusing = save(saved('{', { to: 'review' }));
    for (const _ of ['review', 'progress']) await reached().then(end);
    await reached(); // it looks into review again
    leave(pathOf('review.json'), '{}', 0);
    fs.rmSync(pathOf('progress.json'));
    end();
    await refusing;
    expect(bodies()).toStrictEqual({ 'review.json': '{}' });
  });

  test('is not listed, if another process settles it meanwhile', async () => {
    const { list } = createStore(folder);
    leave(pathOf('progress.json'), '{}', 2);
    const { reached, end } = hold('stat', 1);
    const listing = list();
    await reached();
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

  test.each(['round', 'delivery'])('of a %s is said before the body moves', async (by) => {
    const { save, list } = createStore(folder);
    leave(pathOf('retry.json'), '{}', 90);
    const { reached, end } = hold('rename', 1);
    const from = by === 'round' ? (await list())[0] : undefined;
    const saving = save(saved('{}', { from }));
    await reached();
    expect(state()).toStrictEqual({ 'retry.json': '{}', 'progress.txt': 'in progress, try 1\n' });
    end();
    expect(await saving).not.toBe(false);
  });

  test('of a round counts the try', async () => {
    const { save, list } = createStore(folder);
    leave(pathOf('progress.json'), '{}', 90);
    expect(await save(saved('{}', { from: (await list())[0] }))).not.toBe(false);
    const text = 'in progress, try 2\n';
    expect(state()).toStrictEqual({ 'progress.json': '{}', 'progress.txt': text });
  });

  function takeAway() {
    moveAway('progress');
    leave(pathOf('progress.txt'), 'in progress, try 2\n', 1);
  }

  test.each<[string, 'progress' | 'retry', () => unknown]>([
    ['is removed', 'progress', () => fs.rmSync(pathOf('progress.json'))],
    ['was taken', 'retry', takeAway],
    ['was claimed', 'progress', () => leave(pathOf('progress.txt'), 'in progress, try 2\n', 1)],
    ['was tried', 'retry', () => leave(pathOf('retry.txt'), 'no\n', 1)],
  ])('fails and changes nothing, if what was listed %s: %s', async (_, place, change) => {
    const { save, list } = createStore(folder);
    leave(pathOf(`${place}.json`), '{}', 90);
    if (place === 'retry') leave(pathOf('retry.txt'), 'no\n', 80);
    const [from] = await list();
    change();
    const before = state();
    expect(await save(saved('{}', { from }))).toBe(false);
    expect(state()).toStrictEqual(before);
  });

  const left = { 'progress.json': '{}', 'progress.txt': 'in progress, try 1\n' };
  test.each<[string, () => void, object]>([
    ['settles', () => fs.rmSync(pathOf('retry.json')), {}],
    ['claims', () => moveAway('progress'), left],
  ])('fails, if another process %s the body meanwhile', async (_, act, expected) => {
    const { save, list } = createStore(folder);
    leave(pathOf('retry.json'), '{}', 90);
    const { reached, end } = hold('rename', 1);
    const claiming = save(saved('{}', { from: (await list())[0] }));
    await reached();
    act();
    end();
    expect([await claiming, state()]).toStrictEqual([false, expected]);
  });
});

test('other files are left alone and never read: the folder may be a wrong one', async () => {
  const { list } = createStore(folder);
  for (const place of [progress, retry]) {
    for (const name of ['a.json', 'a.txt', '.a.json', 'a.json.gz'])
      leave(join(place, name), '{}', 500);
    fs.mkdirSync(join(place, 'folder.json'));
    fs.symlinkSync('a.json', join(place, 'link.json'));
    execFileSync('mkfifo', [join(place, 'pipe.json')]); // to read it would hang
  }
  const listed = (await list()).map(({ name, place }) => `${place}/${name}`);
  expect(listed).toStrictEqual(['progress/a', 'retry/a']);
  expect(files('retry')).toHaveLength(7);
});
