interface Told<Key> {
  readonly parent?: Key | null | undefined;
  readonly title?: string | undefined;
}

/** The titles of steps as a client was told them, each with those above it, from the run down. */
export function pathsBy<Key>(steps: ReadonlyMap<Key, Told<Key>>): string[][] {
  const path = (key: Key | null | undefined): string[] => {
    const step = key === null || key === undefined ? undefined : steps.get(key);
    return step ? [...path(step.parent), step.title ?? ''] : [];
  };
  return [...steps.keys()].map(path);
}

/** The same of steps with numbers; 0 is the run. */
export function pathsOf(steps: readonly (Told<number> & { readonly id: number })[]): string[][] {
  return pathsBy(new Map(steps.filter(({ id }) => id !== 0).map((step) => [step.id, step])));
}
