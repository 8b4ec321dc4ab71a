import type { RunTree, Step } from './tree.ts';

/** A tree that is folded on without the other: whatever the fold changes in place is its own, all else is shared. */
export function copyTree(tree: RunTree): RunTree {
  const steps = new Map<number, Step>();
  for (const [id, step] of tree.steps) steps.set(id, copyStep(step));
  return {
    ...tree,
    steps,
    open: new Set(tree.open),
    approvals: copied(tree.approvals),
    messages: copied(tree.messages),
    states: new Map(tree.states),
    notices: tree.notices.slice(),
    untrusted: tree.untrusted.slice(),
    spent: { ...tree.spent },
    usage: { ...tree.usage },
  };
}

function copyStep(step: Step): Step {
  const { children, superseded, text, items, notices, requests, undecided, clock } = step;
  const copy: Step = {
    ...step,
    children: children.slice(),
    superseded: superseded.slice(),
    text: { ...text },
    items: items.slice(),
    notices: notices.slice(),
  };
  for (const channel of Object.keys(text) as (keyof typeof text)[])
    copy.text[channel] = text[channel]?.slice();
  if (clock) copy.clock = { ...clock };
  if (undecided) copy.undecided = new Set(undecided);
  if (requests)
    copy.requests = new Map(
      Array.from(requests, ([id, one]) => [id, { ...one, pieces: one.pieces.slice() }]),
    );
  return copy;
}

function copied<Key, T extends object>(map: ReadonlyMap<Key, T>): Map<Key, T> {
  return new Map(Array.from(map, ([key, value]) => [key, { ...value }]));
}
