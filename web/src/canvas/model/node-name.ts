import type { DraftNode } from './draft-graph.ts';

/** A node's name for people: its title, or what it is called. */
export function nameOf({ id, title = '' }: Pick<DraftNode, 'id' | 'title'>): string {
  return title === '' ? `${id.slice(0, 1).toUpperCase()}${id.slice(1)}` : title;
}
