import { beforeEach, describe, expect, test } from 'vitest';
import { RunError, failureOf } from '../run/failure.ts';
import { configurationTenant } from '../run/definition.ts';
import { memoryStore } from '../stores/memory.ts';
import type { Store } from '../stores/store.ts';
import { differences } from './definition-diff.ts';
import { definitionsFront, type DefinitionsFront } from './definitions.ts';

const ann = { tenant: 't', who: 'ann' };
const bob = { tenant: 't', who: 'bob', role: 'operator' };
const cleo = { tenant: 't', who: 'cleo', role: 'member' };
const stranger = { tenant: 'u', who: 'eve' };
const books = { kind: 'app', name: 'books' };

let store: Store;
let front: DefinitionsFront;
let time = 0;
beforeEach(() => {
  time = Date.UTC(2026, 0, 2);
  store = memoryStore({ now: () => time });
  front = definitionsFront({
    store,
    kinds: {
      app(body, { name }) {
        if (!('flow' in Object(body))) throw new RunError('malformed', `${name}: flow: name one`);
      },
    },
    now: () => time,
    clean: (body) => JSON.parse(JSON.stringify(body).replaceAll('hunter2', '[redacted]')),
  });
});

const draft = (body: unknown, revision: number, author = ann) =>
  front.draft(author, { ...books, body, revision });

test('[DF1] [DF2] what two people write is saved over what each has read, and published as it was read', async () => {
  await draft({ flow: 'a', limits: {} }, 0);
  await draft({ flow: 'b' }, 1, bob);
  await refused(
    draft({ flow: 'c' }, 1),
    'The draft of app «books» is at revision 2, not 1: bob saved it at 2026-01-02T00:00:00.000Z. Read it, then save again.',
  );
  await refused(front.publish(ann, { ...books, revision: 1 }), 'bob saved it at');
  expect(await front.publish(ann, { ...books, revision: 2 })).toMatchObject({ version: 1, by: 'ann' });
  await draft({ flow: 'd' }, 2);
  expect(await front.read(ann, books)).toMatchObject({ definition: { version: 1 }, body: { flow: 'b' } });
  expect(await front.read(ann, { ...books, version: 0 })).toMatchObject({ body: { flow: 'd' } });
});

test('[DF1] the order of fields says nothing: the same body has the same hash', async () => {
  const one = await draft({ flow: 'a', limits: { turns: 1, calls: 2 } }, 0);
  const other = await draft({ limits: { calls: 2, turns: 1 }, flow: 'a' }, 1);
  expect(other.hash).toBe(one.hash);
});

describe('[DF1] what does not fit is refused, with the field and the fix', () => {
  const deep: unknown = Array.from({ length: 70 }).reduce((inner) => ({ inner }), {});
  test.for([
    ['another kind', { ...books, kind: 'poem' }, { flow: 'a' }, '«kind» is «poem»: give one of app.'],
    ['a name', { ...books, name: 'a b' }, { flow: 'a' }, '«name» has up to 64'],
    ['a text', books, 'flow', 'The app «books» is not a JSON object.'],
    ['nothing', books, undefined, 'The app «books» is not a JSON object.'],
    ['what its kind does not know', books, { settings: {} }, 'books: flow: name one'],
    ['too much', books, { flow: 'x'.repeat(2 << 20) }, 'characters; 1048576 are allowed'],
    ['too deep', books, { flow: deep }, 'nested deeper than 64 levels'],
  ] as const)('%s', async ([, key, body, words]) => {
    await refused(front.draft(ann, { ...key, body, revision: 0 }), words);
    expect(await front.list(ann)).toEqual([]);
  });
});

test('[DF3] a clone is a draft of its own, also of what the configuration says', async () => {
  await front.provide(books, { flow: 'a' });
  expect(await front.clone(ann, books, 'mine')).toMatchObject({
    tenant: 't',
    name: 'mine',
    state: 'draft',
    revision: 1,
    by: 'ann',
  });
  await front.publish(ann, { kind: 'app', name: 'mine', revision: 1 });
  await front.clone(ann, { kind: 'app', name: 'mine' }, 'other');
  await refused(front.clone(bob, books, 'mine'), 'revision 1, not 0: ann saved it');
  expect((await front.list(ann)).map(({ name, version }) => `${name} ${version}`)).toEqual([
    'mine 0',
    'mine 1',
    'other 0',
  ]);
});

test('[DF4] what is archived is not the one to take, until it is restored', async () => {
  await draft({ flow: 'a' }, 0);
  await front.publish(ann, { ...books, revision: 1 });
  await draft({ flow: 'b' }, 1);
  await front.publish(ann, { ...books, revision: 2 });
  await front.archive(bob, { ...books, version: 2 });
  expect(await front.read(ann, books)).toMatchObject({ definition: { version: 1 } });
  await front.archive(bob, { ...books, version: 1 });
  await refused(front.read(ann, books), 'There is no published app «books».');
  expect(await front.read(ann, { ...books, version: 2 })).toMatchObject({ body: { flow: 'b' } });
  await front.restore(bob, { ...books, version: 2 });
  expect(await front.read(ann, books)).toMatchObject({ definition: { version: 2, by: 'ann' } });
});

test('[DF5] two versions are told apart by the places where they differ', async () => {
  await draft({ flow: 'a', settings: { agents: [{ name: 'x' }, { name: 'y' }], tone: null } }, 0);
  await front.publish(ann, { ...books, revision: 1 });
  await draft({ flow: 'a', settings: { agents: [{ name: 'z' }], mood: 'calm', tone: 'dry' } }, 1);
  expect(await front.diff(ann, { ...books, version: 1 }, { ...books, version: 0 })).toEqual([
    { path: 'settings.agents[0].name', before: 'x', after: 'z' },
    { path: 'settings.agents[1]', before: { name: 'y' } },
    { path: 'settings.mood', after: 'calm' },
    { path: 'settings.tone', before: null, after: 'dry' },
  ]);
  expect(differences({ a: [1] }, { a: { 0: 1 } })).toEqual([{ path: 'a', before: [1], after: { 0: 1 } }]);
  expect(differences(JSON.parse('{"__proto__":1}'), {})).toEqual([{ path: '__proto__', before: 1 }]);
});

test('[DF6] what a configuration says is everybody’s to read and nobody’s to change', async () => {
  const { definition } = await front.provide(books, { flow: 'a' });
  expect(definition).toMatchObject({ tenant: configurationTenant, version: 1, state: 'published' });
  for (const author of [ann, stranger])
    expect(await front.read(author, books)).toEqual({ definition, body: { flow: 'a' } });
  const mine = "is the configuration's and cannot be changed here: change it there, or clone it";
  await refused(draft({ flow: 'b' }, 0), mine);
  await refused(front.publish(ann, { ...books, revision: 0 }), mine);
  await refused(front.archive(ann, { ...books, version: 1 }), mine);
  await refused(front.erase(ann, books), mine);
  expect(await front.provide(books, { flow: 'a' })).toEqual({ definition, body: { flow: 'a' } });
  expect(await front.provide(books, { flow: 'b' })).toMatchObject({ definition: { version: 2 } });
});

test('[DF6] what a configuration says no more is archived, and back when it says it again', async () => {
  await front.provide(books, { flow: 'a' });
  await front.provide({ kind: 'app', name: 'other' }, { flow: 'a' });
  await front.retire('app', ['other']);
  await refused(front.read(ann, books), 'There is no published app «books».');
  await front.read(ann, { kind: 'app', name: 'other' });
  await front.provide(books, { flow: 'a' });
  expect(await front.read(ann, books)).toMatchObject({ definition: { version: 1, state: 'published' } });
});

test('[DF8] nothing of a tenant is another’s, and what is erased is gone', async () => {
  await draft({ flow: 'a' }, 0);
  await refused(front.read(stranger, { ...books, version: 0 }), 'There is no draft of app «books».');
  await front.erase(stranger, books);
  expect(await front.list(ann)).toHaveLength(1);
  await front.erase(ann, books);
  expect(await front.list(ann)).toEqual([]);
  expect(await store.blobs.held('t')).toBe(0);
});

test('[DF9] a secret is not kept', async () => {
  await draft({ flow: 'a', settings: { system: 'say hunter2' } }, 0);
  expect((await front.read(ann, { ...books, version: 0 })).body).toEqual({
    flow: 'a',
    settings: { system: 'say [redacted]' },
  });
});

async function refused(asked: Promise<unknown>, words: string): Promise<void> {
  const failure = await asked.then(
    () => undefined,
    (thrown: unknown) => failureOf(thrown),
  );
  expect(failure?.message).toContain(words);
}

describe('[DF10] what somebody made', () => {
  const made = async () => {
    await draft({ flow: 'a' }, 0);
    await front.publish(ann, { ...books, revision: 1 });
  };
  const theirs =
    'The app «books» was made by ann: ask them or an operator to change it, or clone it under another name.';

  test.for<[string, (author: typeof cleo) => Promise<unknown>]>([
    ['saved', (author) => draft({ flow: 'b' }, 1, author)],
    ['published', (author) => front.publish(author, { ...books, revision: 1 })],
    ['archived', (author) => front.archive(author, { ...books, version: 1 })],
    ['restored', (author) => front.restore(author, { ...books, version: 1 })],
    ['thrown away', (author) => front.dropDraft(author, { ...books, revision: 1 })],
    ['erased', (author) => front.erase(author, books)],
    ['steered', (author) => front.expectOwn(author, books)],
  ])('is %s by them and by operators alone', async ([, change]) => {
    await made();
    const before = await store.definitions.versions({ tenant: 't', ...books });
    await expect(change(cleo)).rejects.toMatchObject({ failure: { code: 'refused', message: theirs } });
    await expect(change({ ...ann, role: 'viewer' })).rejects.toMatchObject({ failure: { code: 'refused' } });
    expect(await store.definitions.versions({ tenant: 't', ...books })).toEqual(before);
    await change({ ...ann, role: 'approver' });
    await change({ ...cleo, role: 'operator' }).catch((thrown: unknown) =>
      expect(failureOf(thrown).code).not.toBe('refused'),
    );
  });

  test('was made by them, whoever archived or restored it; who did is said apart', async () => {
    await made();
    const [, version] = await front.versions(ann, books);
    time += 1;
    expect(await front.archive(bob, { ...books, version: 1 })).toEqual({ ...version, state: 'archived' });
    expect(await front.moves(ann, books)).toEqual([{ version: 1, by: 'bob', at: time }]);
    time += 1;
    expect(await front.archive(ann, { ...books, version: 1 })).toMatchObject({ state: 'archived' });
    expect(await front.moves(ann, books)).toMatchObject([{ by: 'bob' }]);
    expect(await front.restore(ann, { ...books, version: 1 })).toEqual(version);
    expect(await front.moves(ann, books)).toEqual([{ version: 1, by: 'ann', at: time }]);
    await front.erase(ann, books);
    expect(await front.moves(ann, books)).toEqual([]);
  });

  test('stays theirs where an operator has changed it, and is cloned by others', async () => {
    await made();
    await draft({ flow: 'b' }, 1, bob);
    expect(await draft({ flow: 'c' }, 2)).toMatchObject({ by: 'ann', revision: 3 });
    await draft({ flow: 'd' }, 3, bob);
    await front.archive(bob, { ...books, version: 1 });
    await front.expectOwn(ann, books);
    expect(await front.clone(cleo, { ...books, version: 0 }, 'more-books')).toMatchObject({
      by: 'cleo',
      name: 'more-books',
    });
    await front.erase(bob, books);
    await draft({ flow: 'e' }, 0, { ...cleo });
    await expect(draft({ flow: 'f' }, 1)).rejects.toMatchObject({ failure: { code: 'refused' } });
    await expect(front.clone(ann, { ...books, version: 0 }, 'books')).rejects.toMatchObject({
      failure: { code: 'refused' },
    });
  });
});
