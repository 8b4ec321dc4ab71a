import type { FlatStep, FlatTree } from '../../../src/client/client.ts';
import type { Span, Timing } from './timing.ts';

const known = new WeakMap<FlatTree, ReadonlyMap<number, readonly FlatStep[]>>();

/** The steps right below each: a tree never changes, so it is gone through once. */
export function stepsBelow(tree: FlatTree): ReadonlyMap<number, readonly FlatStep[]> {
  const below = known.get(tree) ?? Map.groupBy(tree.steps, ({ parent }) => parent);
  known.set(tree, below);
  return below;
}

/** The stretches in which steps right below one were there. */
export function spansBelow(tree: FlatTree, timing: Timing): (id: number) => readonly Span[] {
  const below = stepsBelow(tree);
  return (id) =>
    (below.get(id) ?? []).flatMap(({ id: child }): Span[] => {
      const { opened, closed } = timing.steps.get(child) ?? {};
      return opened === undefined ? [] : [{ from: opened, ...(closed === undefined ? {} : { to: closed }) }];
    });
}
