// What a process that will be killed is told.
import type { Catalog } from '../../src/engine/world.ts';
import type { Places } from './coordinated.ts';
import type { GraphWork } from './graphs.ts';
import type { Hooks, killFlows, Ledger } from './world.ts';

/** `before` the commit that holds an entry, `after` it but before anyone is told, or after a tool's `effect`. */
export type Point =
  | { readonly when: 'before' | 'after'; readonly entry: number }
  | { readonly when: 'effect'; readonly tool: string }
  | { readonly when: 'never' };

/** Before and after one record in `each`. What is cut before them lies halfway between what is cut after them. */
export function pointsAt(records: number, each: number): Point[] {
  const from = (when: 'before' | 'after', first: number): Point[] =>
    Array.from({ length: Math.ceil((records - first + 1) / each) }, (_, i) => ({
      when,
      entry: first + i * each,
    }));
  return [...from('before', 1), ...from('after', 1 + Math.floor(each / 2))];
}

export interface Job {
  readonly folder: string;
  readonly point: Point;
  readonly text: string;
  readonly work: Work;
}

/** What is killed: a flow or a plan whose effects go to the ledger, a graph, or a coordinator of agents that live elsewhere. */
export type Work =
  | { readonly flow: keyof typeof killFlows; readonly ledger: Ledger }
  | { readonly flow: 'planned'; readonly seed: number; readonly ledger: Ledger }
  | GraphWork
  | { readonly flow: 'coordinated'; readonly places: Places };

/** Only what the work needs is read: a process is begun for every kill, and to read all of it took most of its time. */
export async function catalogOf(work: Work, hooks: Hooks): Promise<Catalog> {
  if (work.flow === 'workflow') return (await import('./graphs.ts')).graphCatalog(work);
  if ('seed' in work) return (await import('./planned.ts')).plannedCatalog(work.seed, work.ledger);
  if ('places' in work) return (await import('./coordinated.ts')).coordinatedCatalog(work.places);
  return (await import('./world.ts')).killCatalog(work.ledger, hooks);
}
