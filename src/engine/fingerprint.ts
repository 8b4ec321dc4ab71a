import type { Json } from '../run/values.ts';
import type { Execution } from './execution.ts';

/** What an approval is bound to. Anything different needs another approval. */
export interface Bound {
  readonly step: number;
  readonly attempt: number;
  /** Why a person is asked: an approval to begin is not one to repeat. */
  readonly purpose: 'begin' | 'doubt' | 'answer';
  /** Exactly what will run. */
  readonly bytes: Json;
}

/** The fingerprint a person agrees to: of the run, the place, the attempt and the exact bytes. */
export function fingerprintOf(
  { world, run, tree }: Execution,
  { step, attempt, purpose, bytes }: Bound,
): string {
  const tenant = tree.started?.tenant ?? '';
  return world.hash(JSON.stringify([tenant, run, step, attempt, purpose, bytes])).slice(0, 32);
}
