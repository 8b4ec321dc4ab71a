// The client's store at a real server: connections that break, a server that starts again, a viewer that comes late.
import { describe, expect, test } from 'vitest';
import { vitrineClient, type Connection, type RunStore } from '../../src/client/client.ts';
import { appWith, serving, temporaryFolder } from '../serving.ts';

const pieces = 3_000;
const apps = {
  talks: appWith(async (scope, text) => {
    await scope.step({ key: 'a', title: 'First' }, async (step) => step.say('done at once'));
    await scope.step({ key: 'b', title: 'Talk' }, async (step) => {
      for (let i = 0; i < pieces; i += 1) step.say(`${text} ${i} `);
    });
    const { decision } = await scope.ask({ key: 'q', title: 'Go on?' });
    return `${decision}: ${text}`;
  }, 'talks'),
};

const until = (store: RunStore, isSo: (store: RunStore) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!isSo(store)) return;
      leave();
      resolve();
    };
    const leave = store.subscribe(look);
    look();
  });
const isWaiting = (store: RunStore): boolean => store.getSnapshot().tree.status === 'waiting';
const isOver = (store: RunStore): boolean => store.connection.getSnapshot().is === 'over';

function connectionsOf(store: RunStore): Connection[] {
  const seen: Connection[] = [];
  store.connection.subscribe(() => void seen.push(store.connection.getSnapshot()));
  return seen;
}

async function approve(url: string, run: string): Promise<void> {
  const client = vitrineClient({ url });
  const [asked] = (await client.approvals({ run })).approvals;
  await client.decide(asked?.id ?? '', { decision: 'approve', fingerprint: asked?.fingerprint });
}

describe('a store', () => {
  test('[N7] that comes late is told how much is on its way, and then that it is live', async () => {
    const at = await serving({ config: { apps } });
    const client = vitrineClient({ url: at.url });
    const { run } = await client.start({ text: 'late' });
    const first = client.watch(run);
    await until(first, isWaiting);
    first.close();
    const store = client.watch(run);
    const seen = connectionsOf(store);
    await until(store, isWaiting);
    await until(store, () => store.connection.getSnapshot().is === 'live');
    const [began] = seen;
    expect(began).toMatchObject({ is: 'catching up' });
    expect(began?.is === 'catching up' ? began.entries : 0).toBeGreaterThan(pieces);
    expect(seen.filter(({ is }) => is === 'away')).toEqual([]);
    expect(store.getSnapshot().tree).toEqual(await client.tree(run));
    await approve(at.url, run);
    await until(store, isOver);
    expect(store.getSnapshot().tree).toMatchObject({ status: 'completed', answer: 'approve: late' });
    const half = Math.floor(store.getSnapshot().head / 2);
    store.seek(half);
    expect(store.getSnapshot().tree).toEqual(await client.tree(run, half));
  });

  test('[N4] [N7] over a server that starts again goes on where it was, and what it had is the same', async () => {
    const data = temporaryFolder();
    const first = await serving({ data, config: { apps } });
    let url = first.url;
    const following: typeof fetch = (address, request) =>
      fetch(new Request(address, request).url.replace('http://vitrine.test', url), request);
    const store = vitrineClient({ url: 'http://vitrine.test', fetch: following });
    const { run } = await vitrineClient({ url }).start({ text: 'again' });
    const watched = store.watch(run);
    await until(watched, isWaiting);
    await until(watched, () => watched.connection.getSnapshot().is === 'live');
    const seen = connectionsOf(watched);
    const before = watched.getSnapshot();
    await first.close();
    await until(watched, () => watched.connection.getSnapshot().is === 'away');
    expect(watched.connection.getSnapshot()).toMatchObject({ resumesAt: before.head + 1 });
    const second = await serving({ data, config: { apps } });
    ({ url } = second);
    await until(watched, () => watched.connection.getSnapshot().is === 'live');
    const [talk] = before.tree.steps;
    expect(watched.getSnapshot().tree.steps[0]).toBe(talk);
    expect(watched.getSnapshot().tree.steps[1]).toBe(before.tree.steps[1]);
    await approve(url, run);
    await until(watched, isOver);
    expect(watched.getSnapshot().tree).toEqual(await vitrineClient({ url }).tree(run));
    expect(watched.getSnapshot().tree.steps[0]).toBe(talk);
    expect(seen.map(({ is }) => is)).toEqual(expect.arrayContaining(['away', 'live', 'over']));
  });

  test('[N3] [N4] whose connection is cut again and again shows the tree the server has, and its steps stay what they were', async () => {
    const at = await serving({ config: { apps } });
    let left = 2_000;
    const flaky: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      const most = (left += 40_000);
      let had = 0;
      const body = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(bytes, controller) {
            controller.enqueue(bytes.subarray(0, Math.max(0, most - had)));
            had += bytes.length;
            if (had >= most) controller.error(new TypeError('terminated'));
          },
        }),
      );
      return new Response(response.status === 204 ? null : (body ?? null), response);
    };
    const { run } = await vitrineClient({ url: at.url }).start({ text: 'cut' });
    const store = vitrineClient({ url: at.url, fetch: flaky }).watch(run);
    const seen = connectionsOf(store);
    const firsts = new Set<unknown>();
    store.subscribe(() => {
      const [first] = store.getSnapshot().tree.steps;
      if (first?.status === 'completed') firsts.add(first);
    });
    await until(store, isWaiting);
    await approve(at.url, run);
    await until(store, isOver);
    expect(seen.some(({ is }) => is === 'away')).toBe(true);
    expect(firsts.size).toBe(1);
    expect(store.getSnapshot().tree).toEqual(await vitrineClient({ url: at.url }).tree(run));
    expect(store.entries().map(({ seq }) => seq)).toEqual(store.entries().map((_, i) => i + 1));
  });
});
