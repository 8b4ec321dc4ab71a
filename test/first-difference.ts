/** Where what was told is not what happened, in words; nothing where both are the same. */
export function firstDifference(told: readonly string[], happened: readonly string[]): string[] {
  const first = happened.findIndex((fact, i) => fact !== told[i]);
  if (first >= 0) return [`«${told[first] ?? 'nothing'}» and not «${happened[first]}»`];
  return told.length > happened.length ? [`«${told[happened.length]}» too much`] : [];
}

/** Frames with one of them missing, twice, or in the place of its neighbour, each with what was done. */
export function* disordered<Frame>(frames: readonly Frame[]): Generator<readonly [string, Frame[]]> {
  for (const [i, frame] of frames.entries()) {
    const next = frames[i + 1];
    const name = JSON.stringify(frame);
    yield [`${name} dropped`, frames.toSpliced(i, 1)];
    yield [`${name} doubled`, frames.toSpliced(i, 0, frame)];
    if (next !== undefined && JSON.stringify(next) !== name)
      yield [`${name} swapped with ${JSON.stringify(next)}`, frames.toSpliced(i, 2, next, frame)];
  }
}
