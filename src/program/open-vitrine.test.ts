import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gate, serverOf, vitrineIn } from '../../test/program.ts';
import { temporaryFolder } from '../../test/serving.ts';
import { askFor } from '../client/ask.ts';
import { addressIn } from '../server/folder/reach-folder.ts';
import { readHolder } from '../wire/native/folder.ts';
import { openVitrine, type VitrineSettings } from './open-vitrine.ts';

test('[IP1] a program starts a run, follows its snapshots and decides what it asks', async () => {
  const vitrine = await vitrineIn({
    config: {
      apps: {
        careful: {
          flow: {
            name: 'careful',
            version: '1',
            run: async (scope, { text }) => {
              const { decision } = await scope.ask({ title: `May I say ${text}?` });
              return decision === 'approve' ? text : 'nothing';
            },
          },
        },
      },
    },
  });
  const run = await vitrine.start({ app: 'careful', text: 'hello' });
  const statuses: string[] = [];
  const trees = [];
  for await (const tree of run.follow()) {
    trees.push(tree);
    statuses.push(tree.status);
    for (const { id, fingerprint, status } of tree.approvals)
      if (status === 'undecided') await vitrine.decide(id, { decision: 'approve', fingerprint });
  }
  expect(trees.at(-1)).toMatchObject({ status: 'completed', answer: 'hello' });
  expect(statuses).toContain('waiting');
  expect(await vitrine.tree(run.run)).toEqual(trees.at(-1));
});

test('[IP4] [IP3] what one tenant started another does not see, and nobody decides for it', async () => {
  const vitrine = await vitrineIn({ config: { apps: { asks: gate().app } } });
  const ada = vitrine.as({ tenant: 'acme', who: 'ada', role: 'member' });
  const eve = vitrine.as({ tenant: 'evil', who: 'eve', role: 'operator' });
  const { run } = await ada.start({ app: 'asks', text: 'mine' });
  expect((await ada.runs()).runs.map((row) => row.run)).toEqual([run]);
  expect((await eve.runs()).runs).toEqual([]);
  expect((await vitrine.runs()).runs).toEqual([]);
  await expect(eve.tree(run)).rejects.toThrow(`There is no run «${run}»`);
  await expect(eve.stop(run)).rejects.toThrow(`There is no run «${run}»`);
  expect(await ada.stop(run)).toBeDefined();
});

test('[IP14] what somebody follows ends with their time, and they ask nothing more', async () => {
  const vitrine = await vitrineIn({ config: { apps: { waits: gate().app } } });
  const ada = { tenant: 'acme', who: 'ada', role: 'member' } as const;
  const { run } = await vitrine.as(ada).start({ app: 'waits', text: 'mine' });
  const guest = vitrine.as({ ...ada, expiresAt: Date.now() + 500 });
  await expect(Array.fromAsync(guest.follow(run))).rejects.toMatchObject({
    failure: { code: 'unauthenticated', message: expect.stringContaining('is over') },
  });
  await expect(guest.runs()).rejects.toThrow('is over');
});

test.for([
  { given: { tenant: '', who: 'ada', role: 'member' }, field: 'tenant' },
  { given: { tenant: 'acme', who: 'ada', role: 'king' }, field: 'role' },
  { given: { tenant: 'acme', who: 'ada', role: 'member', isOwner: true }, field: 'isOwner' },
])('[IP3] a caller that cannot be used is a bug of the program: $field', async ({ given, field }) => {
  const vitrine = await vitrineIn({});
  expect(() => vitrine.as(given as Parameters<typeof vitrine.as>[0])).toThrow(field);
});

test('[IP8] closed while a run works it hands the run back, and whoever opens the folder goes on', async () => {
  const data = temporaryFolder();
  const first = gate();
  const before = await openVitrine({ data, config: { apps: { waits: first.app }, server: { grace: 0 } } });
  const { run } = await before.start({ app: 'waits', text: 'again' });
  await first.reached;
  const following = Array.fromAsync(before.follow(run));
  following.catch(() => {});
  await before.close();
  await expect(following).rejects.toThrow('was closed');
  await expect(before.runs()).rejects.toThrow('was closed');
  const second = gate();
  const after = await openVitrine({ data, config: { apps: { waits: second.app } } });
  second.open();
  const trees = await Array.fromAsync(after.follow(run));
  expect(trees.at(-1)).toMatchObject({ status: 'completed', answer: 'again went through' });
  await after.close();
});

test('[IP8] what is followed has ended once it is closed, and nothing waits to come back', async () => {
  const waits = gate();
  const vitrine = await vitrineIn({ config: { apps: { waits: waits.app }, server: { grace: 0 } } });
  const { run } = await vitrine.start({ app: 'waits', text: 'x' });
  await waits.reached;
  const followed = vitrine.follow(run)[Symbol.asyncIterator]();
  const fed = vitrine.feed()[Symbol.asyncIterator]();
  const watched = vitrine.watch(run);
  await Promise.all([followed.next(), expect.poll(() => watched.connection.getSnapshot().is).toBe('live')]);
  const ended: string[] = [];
  const note = async (name: string, next: () => Promise<{ readonly done?: boolean }>): Promise<void> => {
    const told = await next().catch((thrown: unknown) => void ended.push(`${name}: ${String(thrown)}`));
    if (told) await note(name, next);
  };
  void note('follow', () => followed.next());
  void note('feed', () => fed.next());
  await vitrine.close();
  const { is, ...more } = watched.connection.getSnapshot();
  expect([ended.length, is, more]).toEqual([
    2,
    'refused',
    { failure: expect.objectContaining({ message: expect.stringContaining('was closed') }) },
  ]);
  expect(ended.every((told) => told.includes('was closed'))).toBe(true);
});

test('[IP9] two in one process keep apart, and one folder is not opened twice', async () => {
  const data = temporaryFolder();
  const config = { apps: { says: sayer('one') } };
  const one = await vitrineIn({ data, config });
  const other = await vitrineIn({ config: { apps: { says: sayer('other') } } });
  const runs = await Promise.all([one, other].map((each) => each.start({ app: 'says', text: 'x' })));
  const answers = await Promise.all(
    runs.map(async (run) => (await Array.fromAsync(run.follow())).at(-1)?.answer),
  );
  expect(answers).toEqual(['one', 'other']);
  expect((await one.runs()).runs.map(({ run }) => run)).toEqual([runs[0]?.run]);
  await expect(openVitrine({ data, config })).rejects.toThrow(`in use by process ${process.pid}`);
  await one.close();
  expect((await other.runs()).runs).toHaveLength(1);
});

test('time and ids are the program’s, where it has its own', async () => {
  let made = 0;
  const vitrine = await vitrineIn({
    config: { apps: { says: sayer('hello') } },
    newId: (kind) => `${kind}_${(made += 1)}`,
  });
  const { run, conversation } = await vitrine.start({ app: 'says', text: 'x' });
  expect([run, conversation].toSorted()).toEqual(['conversation_2', 'run_1']);
});

test.for(['agents', '/agents?', '/a//b', '/a b'])(
  'a prefix is refused that no address has: %s',
  async (prefix) => {
    await expect(openVitrine({ data: temporaryFolder(), prefix })).rejects.toThrow('such as /agents');
  },
);

test.for([
  { given: { data: undefined }, told: 'data: is missing; give a text' },
  { given: { data: 5 }, told: 'data: must be a text, not a number' },
  { given: { data: '' }, told: 'data: must not be empty' },
  { given: { prefix: 5 }, told: 'prefix: must be a text, not a number' },
  {
    given: { caller: 'me' },
    told: 'caller: must be a function of the request that gives { tenant, who, role }',
  },
  { given: { clock: 5 }, told: 'clock: must be an object with the function «now»' },
  { given: { newId: 'x' }, told: 'newId: must be a function of a kind that gives an id' },
  { given: { log: () => {} }, told: 'log: must be an object with the function «error»' },
  { given: { warn: 'me' }, told: 'warn: must be a function of a line' },
  { given: { confg: {} }, told: '«confg» is not known here; remove or rename it' },
])('[IP15] a setting that cannot be used is told by name, with the fix: $told', async ({ given, told }) => {
  const data = join(temporaryFolder(), 'data');
  const settings = { data, ...given } as unknown as VitrineSettings;
  await expect(vitrineIn(settings)).rejects.toMatchObject({
    failure: { code: 'malformed', message: expect.stringContaining(told) },
  });
  expect(existsSync(data)).toBe(false);
});

test('[IP16] a program is told of a server of tools that turns out to be away', async () => {
  const asked = Promise.withResolvers<void>();
  const far = await serverOf((_, response) => {
    void asked.promise.then(() => response.writeHead(401).end());
  });
  const told: string[] = [];
  const config = { tools: [{ mcp: { name: 'far', url: `${far}/mcp` } }], apps: { says: sayer('hello') } };
  const vitrine = await vitrineIn({ config, warn: (line) => told.push(line) });
  expect([vitrine.notices, told]).toEqual([[], []]);
  asked.resolve();
  await expect
    .poll(() => told)
    .toEqual([
      `The MCP server far at ${new URL(far).host} is away: it answered 401; check its headers; it is tried again every 10 s.`,
    ]);
  expect(await vitrine.apps()).toMatchObject({ away: ['far'] });
});

test('[IP1] a terminal asks at the socket of the folder what a program has open', async () => {
  const data = temporaryFolder();
  await vitrineIn({ data, config: { apps: { says: sayer('hello') } } });
  const told = await askFor(addressIn(data), readHolder, {});
  expect(told).toMatchObject({ process: process.pid, url: null });
});

function sayer(text: string) {
  return { flow: { name: 'says', version: '1', run: async () => text } };
}
