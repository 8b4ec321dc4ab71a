import { expect, test } from 'vitest';
import { pieceOf, seedOf, sized, tell } from '../../../test/long.ts';
import { Chance } from '../../../test/random.ts';
import { Coverage } from '../../../test/workflow/coverage.ts';
import { decideBy } from '../../../test/workflow/decided.ts';
import { drawGraph, leafGraph } from '../../../test/workflow/random-graph.ts';
import { drawnCatalog, drawnInput, noted } from '../../../test/workflow/random-world.ts';
import { interpret } from '../../../test/workflow/reference.ts';
import {
  answerOf,
  callsIn,
  countOf,
  doneIn,
  played,
  recovered,
  tooOften,
} from '../../../test/workflow/taken-over.ts';
import { outline } from '../../../test/workflow/world.ts';

test(
  '[WF2] [WF19] [WF30] any graph, taken over after every record, comes to what an interpreter without durability does',
  { timeout: 10_800_000 },
  async () => {
    const first = seedOf('random graphs');
    const graphs = sized(8, 200);
    const seen = { graphs: 0, cuts: 0, broken: 0, redone: 0, apart: 0, twice: 0, late: 0 };
    const coverage = new Coverage();
    const seeds = Array.from({ length: graphs }, (_, i) => first + i);
    for (const seed of seeds) coverage.look(drawGraph(seed));
    const piece = pieceOf(seeds);
    for (const seed of piece) {
      const graph = drawGraph(seed);
      const data = drawnInput(seed);
      const chance = new Chance(seed);
      const play = { graph, others: [leafGraph], data, decide: decideBy, catalog: drawnCatalog, chance };
      const expected = interpret(graph, data, decideBy);
      const whole = await played(play, { seen });
      expect(answerOf(whole.tree), `seed ${seed}`).toEqual(expected.answer);
      seen.graphs += 1;
      seen.broken += expected.breaks > 0 ? 1 : 0;
      seen.redone += [...whole.tree.steps.values()].filter(({ kind }) => kind === 'again').length;
      for (let cut = 1; cut < whole.entries.length; cut += sized(20, 1)) {
        const entries = whole.entries.slice(0, cut);
        const again = await recovered(play, { run: whole.run, entries }, { seen });
        const name = `seed ${seed}, after ${cut} of ${whole.entries.length}`;
        expect(again.problems, name).toEqual([]);
        expect(answerOf(again.tree), name).toEqual(expected.answer);
        seen.cuts += 1;
        const done = [...again.ledger.values(), ...doneIn(entries, noted)];
        expect(tooOften(done, callsIn(again.tree, noted)), name).toEqual([]);
        // What else was begun where something fails for good depends on when it did.
        if (expected.breaks > 0) continue;
        expect(outline(again.tree), name).toEqual(outline(whole.tree));
        expect(countOf(done), name).toEqual(countOf(whole.ledger.values()));
      }
    }
    tell('random graphs', { ...seen, ...coverage.counts });
    expect(coverage.missing).toEqual([]);
    expect(coverage.unjoined.length, `no join after ${coverage.unjoined.join()}`).toBeLessThanOrEqual(
      sized(4, 0),
    );
    expect(coverage.counts.levels).toBe(5);
    expect(seen).toMatchObject({ graphs: piece.length });
    for (const count of Object.values(coverage.counts)) expect(count).toBeGreaterThan(0);
    if (piece.length < graphs) return;
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  },
);
