import { expect, test } from 'vitest';
import { shelfOf } from './shelf.ts';
import { nativePiece, type Piece } from './channel.ts';

const page = (text: string): Piece => nativePiece({ first: 1, last: 1, frames: text });

test('[R49] short pages take room, too: of many runs that were watched once, so many are kept', () => {
  const shelf = shelfOf(1_000_000);
  const runs = Array.from({ length: 5_000 }, (_, i) => `r${i}`);
  for (const run of runs) shelf.put(run, page('id: 1\ndata: {}\n\n'));
  const kept = runs.filter((run) => shelf.find(run, 0));
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.length).toBeLessThan(1_000_000 / 2_000);
  expect(kept).toEqual(runs.slice(-kept.length));
});

test('a page that has no room alone is kept until the next one comes', () => {
  const shelf = shelfOf(1_000);
  shelf.put('a', page('x'.repeat(10_000)));
  expect(shelf.find('a', 0)).toBeDefined();
  shelf.put('b', page('x'));
  expect([shelf.find('a', 0), shelf.find('b', 0)]).toEqual([undefined, expect.anything()]);
});
