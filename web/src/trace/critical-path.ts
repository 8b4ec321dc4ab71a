/** A step as far as its time goes. */
export interface Timed {
  readonly id: number;
  readonly parent: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The steps that the end of the run waited for: going back from the end, the one that ended last before it, then the one
 * that ended last before that began, and so within each. Anything else could have taken longer and nobody had waited.
 */
export function criticalPath(steps: readonly Timed[]): ReadonlySet<number> {
  const below = Map.groupBy(
    steps.toSorted((one, other) => other.to - one.to),
    ({ parent }) => parent,
  );
  const path = new Set<number>();
  const within: { readonly id: number; readonly until: number }[] = [{ id: 0, until: Infinity }];
  for (const { id, until } of within) {
    let at = until;
    for (const child of below.get(id) ?? []) {
      if (child.to > at || path.has(child.id)) continue;
      path.add(child.id);
      within.push({ id: child.id, until: child.to });
      at = child.from;
    }
  }
  return path;
}
