// Somebody who decides by rule, until a run is over.
import type { RunTree } from '../../src/run/tree.ts';
import type { Stage } from '../stage.ts';
import { commandFor, decideBy } from './decided.ts';

/** Decides what is asked, and lets time pass where nobody is, until the run has ended. */
export async function toTheEnd(stage: Stage, run: string): Promise<RunTree> {
  for (let rounds = 0; rounds < 400; rounds += 1) {
    const tree = await stage.tree(run);
    if (tree.ended) return tree;
    if (tree.paused) throw new Error(`paused: ${tree.notices.at(-1)?.message}`);
    const [command] = (await stage.asked(run)).flatMap((asked) => commandFor(decideBy, asked) ?? []);
    if (command) await stage.send(run, command);
    else await stage.clock.pass(31_000);
  }
  throw new Error('the run does not end');
}
