import type { Approval } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { alongOf } from './along.ts';

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
  /** Where the agent stood in its conversation. */
  readonly position?: string | undefined;
  /** What goes out beside the bytes. */
  readonly along?: Json | undefined;
}

/** The fingerprint a person agrees to: of the run, the place, the attempt and the exact bytes. */
export function fingerprintOf(
  { world, run, tree }: Execution,
  { step, attempt, purpose, bytes, place, position, along }: Bound,
): string {
  const tenant = tree.started?.tenant ?? '';
  const bound: unknown[] = [tenant, run, step, attempt, purpose, bytes, place];
  if (position !== undefined) bound.push(position);
  // In a place of its own: what was asked before anything went along keeps its fingerprint.
  if (along !== undefined) bound.push({ along });
  return world.hash(JSON.stringify(bound)).slice(0, 32);
}

/** Of what a person made of it. What had begun before is begun anew, as the next attempt. */
export function editedFingerprint(execution: Execution, approval: Approval, bytes: Json): string {
  const { step: id, position } = approval;
  const { attempt = 1, started = false } = execution.tree.steps.get(id) ?? {};
  return fingerprintOf(execution, {
    step: id,
    attempt: attempt + (started ? 1 : 0),
    purpose: 'begin',
    bytes,
    position,
    along: alongOf(approval),
  });
}
