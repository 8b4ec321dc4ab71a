import type { RunRow } from '../../stores/store.ts';

type Placed = Pick<RunRow, 'run' | 'replaces'>;

/**
 * The runs of a conversation in the order of their places, the first place first: several may have had one place, each
 * instead of the one before. `rows` has the newest first.
 */
export function inPlaces<Row extends Placed>(rows: readonly Row[]): readonly Row[] {
  const places = new Map<string, Row[]>();
  for (const row of rows.toReversed()) {
    const place = places.get(row.replaces ?? '') ?? [];
    place.push(row);
    places.set(row.run, place);
  }
  return [...new Set(places.values())].flat();
}

/** Of each place the run that has it now. One that replaced what is older than all of these stands there, and is none of them. */
export function holdingPlaces<Row extends Placed>(rows: readonly Row[]): readonly Row[] {
  const known = new Set(rows.map(({ run }) => run));
  const replaced = new Set(rows.map(({ replaces }) => replaces));
  return inPlaces(rows).filter(
    ({ run, replaces }) => !replaced.has(run) && (replaces === null || known.has(replaces)),
  );
}

/** The run that had the place of a run first. */
export function firstInPlace<Row extends Placed>(rows: readonly Row[], row: Row): Row {
  if (row.replaces === null) return row;
  const before = rows.find(({ run }) => run === row.replaces);
  return before ? firstInPlace(rows, before) : row;
}

/** The runs that were there before the place of a run was first taken; `rows` has the newest first. */
export function beforePlaceOf<Row extends Placed>(rows: readonly Row[], run: string): readonly Row[] {
  const row = rows.find((each) => each.run === run);
  return row ? rows.slice(rows.indexOf(firstInPlace(rows, row)) + 1) : rows;
}
