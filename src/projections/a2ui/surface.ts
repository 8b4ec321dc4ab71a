import type { StepId } from '../../run/events.ts';

/**
 * A run as a surface, for every version of A2UI: texts, and lists of what has texts and lists. An item has a key, by which
 * version 0.8 finds it, and a number in its list, by which the later ones do; neither ever changes.
 */
export type Fields = { readonly [name: string]: string | readonly Item[] };

export interface Item {
  readonly key: string;
  readonly fields: Fields;
}

/** An item in a list. */
export interface Spot {
  readonly key: string;
  readonly index: number;
}

export type Path = readonly (string | Spot)[];

/** What happens to a surface. */
export type Change =
  | { readonly type: 'begin'; readonly data: Fields }
  | { readonly type: 'put'; readonly path: Path; readonly value: string | Fields | readonly Item[] }
  | { readonly type: 'delete' };

/** Where changes are told. */
export interface Changing {
  readonly frames: Change[];
  readonly at: number;
}

export function put(
  { frames }: Pick<Changing, 'frames'>,
  path: Path,
  value: Extract<Change, { type: 'put' }>['value'],
): void {
  frames.push({ type: 'put', path, value });
}

/** How a version of A2UI says it. */
export type Dialect<Message> = (surface: string, change: Change) => readonly Message[];

/** So many levels of steps have a template of their own; what is deeper stands in the last one, with a mark for each level. */
export const levels = 3;
export const deeper = '› ';

/** A step among the items of a surface. */
export interface Placed {
  readonly path: Path;
  /** How deep it is in the run, whose own depth is 0. */
  readonly depth: number;
  /** The step among whose children its own stand. */
  readonly host: StepId;
}

export const theRun: Placed = { path: [], depth: 0, host: 0 };

/** Where the next child of a step stands, in the list of its host that has so many already. */
export function placedBelow(
  above: Placed,
  host: Pick<Placed, 'path'> & { readonly children: number },
  id: StepId,
): Placed {
  const depth = above.depth + 1;
  const list = host.path.length === 0 ? 'steps' : 'children';
  const path = [...host.path, list, { key: `s${id}`, index: host.children }];
  return { path, depth, host: depth < levels ? id : above.host };
}

export function titleAt(title: string, { depth }: Pick<Placed, 'depth'>): string {
  return deeper.repeat(Math.max(0, depth - levels)) + title;
}
