import type { Approval } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import type { Execution } from './execution.ts';

/** What an approval is bound to. Anything different needs another approval. */
export interface Bound {
  readonly step: number;
  readonly attempt: number;
  /** Why a person is asked: an approval to begin is not one to repeat. */
  readonly purpose: 'begin' | 'doubt' | 'answer' | 'crash';
  /** Exactly what will run. */
  readonly bytes: Json;
  /** The how-manieth question of the attempt, where the same may be asked again. */
  readonly place?: number | undefined;
}

/** The fingerprint a person agrees to: of the run, the place, the attempt and the exact bytes. */
export function fingerprintOf(
  { world, run, tree }: Execution,
  { step, attempt, purpose, bytes, place }: Bound,
): string {
  const tenant = tree.started?.tenant ?? '';
  return world.hash(JSON.stringify([tenant, run, step, attempt, purpose, bytes, place])).slice(0, 32);
}

/** Of what a person made of it. What had begun before is begun anew, as the next attempt. */
export function editedFingerprint(execution: Execution, { step: id }: Approval, bytes: Json): string {
  const { attempt = 1, started = false } = execution.tree.steps.get(id) ?? {};
  return fingerprintOf(execution, {
    step: id,
    attempt: attempt + (started ? 1 : 0),
    purpose: 'begin',
    bytes,
  });
}
