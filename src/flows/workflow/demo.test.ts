import { expect, test } from 'vitest';
import { sized, tell } from '../../../test/long.ts';
import { Chance } from '../../../test/random.ts';
import {
  demoEffects,
  demoGraph,
  demoPlayNames,
  demoPlays,
  ruledDemoCatalog,
} from '../../../test/workflow/demo-plays.ts';
import { answerOf, countOf, doneIn, played, recovered } from '../../../test/workflow/taken-over.ts';
import { outline } from '../../../test/workflow/world.ts';

const each = sized(3, 1);

test.for(demoPlayNames)(
  '[WF19] [WF30] «%s» of the demo, taken over after each of its records, ends as it would have',
  async (name) => {
    const { workflow, ends, effects, ...given } = demoPlays[name];
    const seen = { records: 0, cuts: 0, apart: 0, twice: 0, late: 0 };
    const graph = demoGraph(workflow);
    const play = { graph, ...given, catalog: ruledDemoCatalog, chance: new Chance(1) };
    const whole = await played(play, { seen });
    expect(answerOf(whole.tree)).toMatch(ends);
    expect(whole.ledger.size).toBe(effects);
    for (let cut = 1; cut < whole.entries.length; cut += each) {
      const entries = whole.entries.slice(0, cut);
      const again = await recovered(play, { run: whole.run, entries }, { seen });
      const where = `after ${cut} of ${whole.entries.length}`;
      expect(again.problems, where).toEqual([]);
      expect(answerOf(again.tree), where).toBe(answerOf(whole.tree));
      expect(outline(again.tree), where).toEqual(outline(whole.tree));
      expect(countOf([...again.ledger.values(), ...doneIn(entries, demoEffects)]), where).toEqual(
        countOf(whole.ledger.values()),
      );
      seen.cuts += 1;
    }
    seen.records = whole.tree.seq;
    tell(`«${name}» taken over`, seen);
    expect(seen.cuts).toBe(Math.ceil((whole.entries.length - 1) / each));
    expect(seen.records).toBeGreaterThan(40);
  },
);
