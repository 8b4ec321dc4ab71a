// Graphs as the browser draws them: what is on the screen is measured, not what was meant.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { drawnGraphs } from '../web/crossings.ts';
import { harness } from '../web/harness.ts';

interface Graph {
  readonly nodes: readonly { readonly id: string; readonly label: string }[];
  readonly edges: readonly { readonly source: string; readonly target: string; readonly label: string }[];
}

const name = fc.constantFrom('LINK-SYD-MEL-FIBRE', 'PER', 'WWWWWWWWWWWWWWWW', 'Ärger im Netz', '機房');

const anyGraph = fc.integer({ min: 2, max: 40 }).chain((count) => {
  const end = fc.nat({ max: count - 1 });
  return fc
    .tuple(
      fc.array(name, { minLength: count, maxLength: count }),
      fc.array(fc.tuple(end, end), { minLength: 1, maxLength: count * 2, size: 'max' }),
    )
    .map(([names, pairs]): Graph => {
      const ids = names.map((one, i) => `${one}-${i}`);
      return {
        nodes: ids.map((id) => ({ id, label: 'Site' })),
        edges: pairs.map(([from, to]) => ({ source: ids[from] ?? '', target: ids[to] ?? '', label: 'to' })),
      };
    });
});

/** A graph in which everything is joined to something at random, or all to one. */
function largeGraph(count: number, isHub: boolean): Graph {
  const nodes = Array.from({ length: count }, (_, i) => ({ id: `N${i}`, label: 'Site' }));
  const edges = Array.from({ length: count * 2 }, (_, i) => ({
    source: isHub ? 'N0' : `N${(i * 7_919) % count}`,
    target: `N${(i * 104_729 + 1) % count}`,
    label: 'to',
  }));
  return { nodes, edges };
}

describeInBrowser('graphs', (browser) => {
  test('[W200] no edge crosses a name in fifty graphs of up to forty nodes, as the browser draws them', async () => {
    const page = await harness(browser(), 'graphs.tsx');
    const seen = { loops: 0, edges: 0, largest: 0 };
    for (const graph of fc.sample(anyGraph, 50)) {
      await page.evaluate(`draw(${JSON.stringify(graph)})`);
      const { names, edges, crossed } = await drawnGraphs(page);
      expect(crossed, JSON.stringify(graph)).toEqual([]);
      expect(names).toBeGreaterThanOrEqual(graph.nodes.length);
      expect(edges).toBe(graph.edges.length);
      seen.loops += graph.edges.filter(({ source, target }) => source === target).length;
      seen.edges += edges;
      seen.largest = Math.max(seen.largest, graph.nodes.length);
    }
    expect(seen.loops).toBeGreaterThan(5);
    expect(seen.edges).toBeGreaterThan(500);
    expect(seen.largest).toBeGreaterThan(30);
  });

  test('[W201] of thousands of nodes what is in view is on the page, and what is left out is said', async () => {
    const page = await harness(browser(), 'graphs.tsx');
    const counts = () =>
      page.evaluate(
        '[".graph-node", ".graph-edge", ".graph-note"].map((one) => document.querySelectorAll(one).length)',
      ) as Promise<number[]>;
    await page.evaluate(`draw(${JSON.stringify(largeGraph(4_000, false))})`);
    const [nodes = 0, edges = 0, notes] = await counts();
    expect(nodes).toBeGreaterThan(10);
    expect(nodes).toBeLessThan(1_500);
    expect(edges).toBeLessThanOrEqual(2_000);
    const last = () => page.locator('.graph-node').last().getAttribute('aria-label');
    const before = await last();
    await page.evaluate('document.querySelector(".graph .scroll").scrollTo(1e6, 1e6)');
    await expect.poll(last).not.toBe(before);
    await page.evaluate(`draw(${JSON.stringify(largeGraph(4_000, true))})`);
    const [, hubEdges, hubNotes] = await counts();
    expect([notes, hubEdges, hubNotes]).toEqual([0, 2_000, 1]);
  });
});
