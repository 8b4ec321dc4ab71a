import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Definition, NewDraft, NewVersion } from '../run/definition.ts';
import { failureOf } from '../run/failure.ts';
import type { Opened } from './store.contract.ts';

const key = { tenant: 't', kind: 'app', name: 'books' };

/** What every store must do with definitions. */
export function definitionsContract(opened: () => Opened): void {
  const definitions = () => opened().store.definitions;
  const save = (body: string, revision: number, more: Partial<NewDraft> = {}) =>
    definitions().draft({ ...key, body, revision, by: 'ann', ...more });
  const publish = (body: string, more: Partial<NewVersion> = {}) =>
    definitions().publish({ ...key, body, by: 'ann', ...more });
  const bodyOf = ({ tenant, hash }: Definition) => opened().store.blobs.get(tenant, hash);

  test('[Q80] a draft is saved over the revision that was read, and says who saved it when', async () => {
    const first = await save('one', 0);
    expect(first).toMatchObject({ ...key, version: 0, state: 'draft', revision: 1, by: 'ann' });
    expect(first.hash).toBe(hashOf('one'));
    opened().pass(60_000);
    const second = await save('two', 1, { by: 'bob' });
    expect(second).toMatchObject({ revision: 2, by: 'bob', at: first.at + 60_000 });
    expect(await bodyOf(second)).toBe('two');
    expect(await bodyOf(first)).toBeUndefined();
    expect(await definitions().versions(key)).toEqual([second]);
  });

  test('[Q81] a stale save is refused with who and when, and changes nothing', async () => {
    const { at } = await save('one', 0, { by: 'bob' });
    const when = new Date(at).toISOString();
    await refused(save('mine', 0), `revision 1, not 0: bob saved it at ${when}`);
    await refused(save('mine', 2), 'revision 1, not 2');
    await refused(save('mine', 3, { name: 'none' }), 'There is no draft of app «none»');
    await refused(publish('one', { revision: 2 }), 'revision 1, not 2');
    expect(await definitions().list({ tenant: 't' })).toMatchObject([{ revision: 1, hash: hashOf('one') }]);
  });

  test('[Q81] of two who save at once, one is refused', async () => {
    await save('one', 0);
    const outcomes = await Promise.allSettled([save('two', 1), save('three', 1, { by: 'bob' })]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await definitions().versions(key)).toMatchObject([{ revision: 2 }]);
  });

  test('[Q81] a save that is repeated because its answer was lost is one save', async () => {
    const saved = await save('one', 0);
    expect(await save('one', 0)).toEqual(saved);
    await refused(save('one', 0, { by: 'bob' }), 'revision 1, not 0');
  });

  test('[Q82] a published version stays as it is, whatever becomes of the draft', async () => {
    await save('one', 0);
    const first = await publish('one', { revision: 1 });
    expect(first).toMatchObject({ version: 1, state: 'published', revision: 1 });
    await save('two', 1);
    await refused(publish('one', { revision: 2 }), 'is not what the draft');
    const second = await publish('two', { revision: 2, by: 'bob' });
    expect(second).toMatchObject({ version: 2, revision: 2, by: 'bob' });
    expect(await definitions().versions(key)).toMatchObject([{ version: 0 }, first, second]);
    expect([await bodyOf(first), await bodyOf(second)]).toEqual(['one', 'two']);
  });

  test('[Q82] what the newest version says is not published once more', async () => {
    const first = await publish('one');
    opened().pass(1);
    expect(await publish('one', { by: 'bob' })).toEqual(first);
    expect(await publish('two')).toMatchObject({ version: 2, revision: 0 });
    expect(await publish('one')).toMatchObject({ version: 3, hash: first.hash });
  });

  test('[Q83] a version is archived and comes back, as it was', async () => {
    const made = await publish('one');
    const move = { ...key, version: 1, state: 'archived' } as const;
    opened().pass(1);
    expect(await definitions().move(move)).toEqual({ ...made, state: 'archived' });
    expect(await definitions().list({ tenant: 't', state: 'published' })).toEqual([]);
    expect(await publish('one', { by: 'bob' })).toEqual(made);
    await definitions().move(move);
    expect(await definitions().move({ ...move, state: 'published' })).toEqual(made);
    await refused(
      definitions().move({ ...move, version: 2 }),
      'no version 2 of app «books»: it has 1.',
      'unknown',
    );
    await refused(
      definitions().move({ ...move, name: 'none' }),
      'of app «none»: none was published.',
      'unknown',
    );
    await save('draft', 0);
    await refused(definitions().move({ ...move, version: 0 }), 'no version 0', 'unknown');
  });

  test('[Q84] a tenant sees nothing of another', async () => {
    const { hash } = await publish('one');
    await save('one', 0);
    const other = { ...key, tenant: 'u' };
    expect(await definitions().versions(other)).toEqual([]);
    expect(await definitions().list({ tenant: 'u' })).toEqual([]);
    expect(await opened().store.blobs.get('u', hash)).toBeUndefined();
    expect(await save('theirs', 0, other)).toMatchObject({ tenant: 'u', revision: 1 });
    await definitions().erase(other);
    expect(await definitions().versions(key)).toHaveLength(2);
  });

  test('[Q85] what is erased leaves nothing, but what runs began with', async () => {
    const { store } = opened();
    const { hash } = await publish('one');
    await publish('two');
    await save('three', 0);
    await store.dispatch.create({ ...run, definition: hash });
    await definitions().erase(key);
    await definitions().erase(key);
    expect(await definitions().versions(key)).toEqual([]);
    expect(await store.blobs.get('t', hash)).toBe('one');
    expect(await store.blobs.get('t', hashOf('two'))).toBeUndefined();
    expect(await store.blobs.get('t', hashOf('three'))).toBeUndefined();
    await refused(
      store.dispatch.create({ ...run, run: 'q', definition: hashOf('two') }),
      'erased',
      'unknown',
    );
    expect(await store.dispatch.get('q')).toBeUndefined();
    await store.dispatch.erase('r');
    expect(await store.blobs.held('t')).toBe(0);
  });

  test('[Q85] a draft is thrown away alone, as it was read, and its versions stay', async () => {
    await save('one', 0);
    const first = await publish('one', { revision: 1 });
    const draft = await save('two', 1);
    const drop = (revision: number) => definitions().erase({ ...key, draft: { revision } });
    await refused(drop(1), 'revision 2, not 1');
    await drop(2);
    expect(await definitions().versions(key)).toEqual([first]);
    expect([await bodyOf(first), await bodyOf(draft)]).toEqual(['one', undefined]);
    await refused(drop(2), 'There is no draft');
    expect(await save('three', 0)).toMatchObject({ revision: 1 });
  });

  test('[Q86] lists go by kind, name and version, in pages', async () => {
    for (const name of ['b', 'a']) for (const body of ['1', '2']) await publish(body, { name });
    await publish('1', { kind: 'workflow', name: 'a' });
    await save('1', 0, { name: 'a' });
    const places = (rows: readonly Definition[]) =>
      rows.map(({ kind, name, version }) => `${kind} ${name} ${version}`);
    const all = ['app a 0', 'app a 1', 'app a 2', 'app b 1', 'app b 2', 'workflow a 1'];
    expect(places(await definitions().list({ tenant: 't' }))).toEqual(all);
    const first = await definitions().list({ tenant: 't', limit: 4 });
    expect(places(await definitions().list({ tenant: 't', after: first.at(-1) }))).toEqual(all.slice(4));
    expect(places(await definitions().list({ tenant: 't', kind: 'workflow' }))).toEqual(all.slice(5));
    expect(places(await definitions().list({ tenant: 't', name: 'b' }))).toEqual(all.slice(3, 5));
    expect(places(await definitions().list({ tenant: 't', state: 'draft' }))).toEqual(all.slice(0, 1));
  });

  test('[Q86] whoever owns the store lists those of all tenants, in pages', async () => {
    for (const tenant of ['b', 'a', 'Z'])
      for (const name of ['y', 'x']) await publish('1', { tenant, name, kind: 'workflow' });
    await publish('1');
    const seen: string[] = [];
    for (let after: Definition | undefined; ;) {
      const [row] = await definitions().list({ kind: 'workflow', state: 'published', after, limit: 1 });
      if (!row) break;
      seen.push(`${row.tenant} ${row.name}`);
      after = row;
    }
    expect(seen).toEqual(['Z x', 'Z y', 'a x', 'a y', 'b x', 'b y']);
  });

  test('[Q87] how many runs go on with each flow can be asked', async () => {
    const { store } = opened();
    for (const [id, flow] of [
      ['a', 'x@1'],
      ['b', 'y@1'],
      ['c', 'y@1'],
    ] as const)
      await store.dispatch.create({ ...run, run: id, flow });
    expect(await store.dispatch.flows()).toEqual([
      { flow: 'x@1', runs: 1 },
      { flow: 'y@1', runs: 2 },
    ]);
    await store.dispatch.erase('a');
    expect(await store.dispatch.flows()).toEqual([{ flow: 'y@1', runs: 2 }]);
  });
}

const run = {
  run: 'r',
  tenant: 't',
  conversation: 'c',
  app: 'books',
  title: 'T',
  flow: 'flow@1',
  last: 1,
  frames: 'id: 1\ndata: {}\n\n',
};

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function refused(asked: Promise<unknown>, words: string, code = 'rejected'): Promise<void> {
  const failure = await asked.then(
    () => undefined,
    (thrown: unknown) => failureOf(thrown),
  );
  expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
}
