// One tenant has a hostile model, a hostile MCP server and a hostile key. `npm run bench -- hostile` measures the same.
import { expect, test } from 'vitest';
import { hostile } from '../hostile/scene.ts';

test(
  '[S49] [S50] whatever one tenant tries, all others are answered and memory stays bounded',
  { timeout: 300_000 },
  async () => {
    const { faults, asked, peak, ends, shares } = await hostile({ seconds: 4, megabytes: 8, heap: 384 });
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(10);
    // The key may get no answer in so short a time; that it tried is seen by what its process used.
    expect(shares[0]).toBeGreaterThan(0.01);
    expect(ends).toHaveLength(7);
    expect(peak).toBeLessThan(1_200e6);
  },
);
