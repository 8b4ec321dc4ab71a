import { expect, test } from 'vitest';
import { WorkerPlaces, type Owner, type Place } from './worker-places.ts';

const forever = new AbortController().signal;

function opened(most: number) {
  const places = new WorkerPlaces(most);
  const got: string[] = [];
  const take = async (owner: Owner, signal = forever): Promise<Place> => {
    const place = await places.take(owner, signal);
    got.push(`${owner.tenant}/${owner.run}`);
    return place;
  };
  return { places, take, got };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('[T69] no more have a place at once than there are, and the next waits until one is free', async () => {
  const { take, got } = opened(2);
  const first = await take({ tenant: 'a', run: '1' });
  await take({ tenant: 'a', run: '1' });
  void take({ tenant: 'a', run: '2' });
  await turn();
  expect(got).toEqual(['a/1', 'a/1']);
  first.free();
  first.free();
  await turn();
  expect(got).toEqual(['a/1', 'a/1', 'a/2']);
});

test('[T69] a tenant that asks for a thousand does not keep others from the next place, nor a run another', async () => {
  const { take, got } = opened(3);
  const one = { tenant: 'a', run: '1' };
  const taken = [await take(one), await take(one), await take(one)];
  for (let i = 0; i < 1_000; i += 1) void take(one);
  void take({ tenant: 'a', run: '2' });
  void take({ tenant: 'b', run: '3' });
  for (const place of taken.slice(1)) place.free();
  await turn();
  expect(got.slice(3)).toEqual(['b/3', 'a/2']);
});

test('[T69] whoever is stopped while waiting gets no place and keeps nobody from one', async () => {
  const { take, got } = opened(1);
  const first = await take({ tenant: 'a', run: '1' });
  const stop = new AbortController();
  const stopped = take({ tenant: 'a', run: '2' }, stop.signal);
  const other = take({ tenant: 'a', run: '3' });
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
  first.free();
  (await other).free();
  await turn();
  expect(got).toEqual(['a/1', 'a/3']);
});
