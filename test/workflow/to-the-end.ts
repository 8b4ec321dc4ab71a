// Somebody who decides by rule, until a run is over.
import type { RunTree } from '../../src/run/tree.ts';
import type { Json } from '../../src/run/values.ts';
import type { Stage } from '../stage.ts';
import { decideBy } from './random-world.ts';

/** Decides what is asked, and lets time pass where nobody is, until the run has ended. */
export async function toTheEnd(stage: Stage, run: string): Promise<RunTree> {
  for (let rounds = 0; rounds < 400; rounds += 1) {
    const tree = await stage.tree(run);
    if (tree.ended) return tree;
    if (tree.paused) throw new Error(`paused: ${tree.notices.at(-1)?.message}`);
    const open = (await stage.asked(run)).map((asked) => ({
      asked,
      ...decideBy({
        title: asked.title,
        shown: asked.arguments as Json,
        mayRedo: asked.redo !== undefined,
        mayExpire: asked.expiresAt !== undefined,
      }),
    }));
    const next = open.find(({ decision }) => decision !== 'expire');
    if (!next) await stage.clock.pass(31_000);
    else if (next.decision !== 'expire') {
      const { decision, redo, value, asked } = next;
      const more =
        decision === 'edit'
          ? { arguments: value, ...(redo ? { answer: { redo: asked.redo?.[0] ?? '' } } : {}) }
          : {};
      await stage.decide(run, { approval: asked.approval, decision, ...more });
    }
  }
  throw new Error('the run does not end');
}
