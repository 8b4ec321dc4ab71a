import { errorOf } from '../../run/failure.ts';
import { isOpen, stepOf, type Step } from '../../run/tree.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { findDefinition, noDefinition } from '../record/definition.ts';
import { previewOf, resultOf } from '../record/recordable.ts';
import type { Looked } from '../scope.ts';
import { openComposite } from './composite.ts';

interface Placed extends Looked {
  readonly parent: number;
  readonly key: string;
}

/** What a definition says, kept with the run: a step whose result is a reference to it. What was looked up ahead holds. */
export async function lookUp(execution: Execution, { parent, key, ...which }: Placed): Promise<Json> {
  while (execution.isGated) await execution.gate();
  const step = openComposite(execution, { parent, key, kind: 'definition', title: which.name });
  if (step instanceof Promise) return step;
  if (!isOpen(step)) return recall(execution, step);
  const result = lookedAhead(execution, parent, which) ?? (await kept(execution, which));
  if (result === undefined) {
    const gone = noDefinition(which);
    execution.emit({ type: 'step.closed', step: step.id, outcome: 'failed', failure: gone.failure });
    throw gone;
  }
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'completed', result });
  return recall(execution, stepOf(execution.tree, step.id));
}

/**
 * The same before anything comes to it, for all that is in this scope; null where there is none yet. A run that has gone on
 * without, as those did that were recorded before there was this, goes on so.
 */
export async function lookAhead(execution: Execution, { parent, key, ...which }: Placed): Promise<Json> {
  while (execution.isGated) await execution.gate();
  const { recorded } = execution;
  if (!recorded.child(parent, key) && recorded.ahead(parent)) return null;
  const step = openComposite(execution, { parent, key, kind: 'definition', title: which.name });
  if (step instanceof Promise) return step;
  if (isOpen(step)) {
    const result = (await kept(execution, which)) ?? null;
    execution.emit({ type: 'step.closed', step: step.id, outcome: 'completed', result });
  }
  return recall(execution, stepOf(execution.tree, step.id));
}

export function keyAhead({ kind, name, version }: Looked): string {
  return [kind, name, ...(version === undefined ? [] : [`version ${version}`])].join(' ');
}

function lookedAhead({ tree }: Execution, within: number, which: Looked): BlobRef | undefined {
  const key = keyAhead(which);
  for (let at = stepOf(tree, within); ; at = stepOf(tree, at.parent)) {
    for (const id of at.children) {
      const { key: known, kind, result } = stepOf(tree, id);
      if (known === key && kind === 'definition' && isBlobRef(result)) return result;
    }
    if (at.id === 0) return undefined;
  }
}

/** As its own: the definition may be erased while the run waits. */
async function kept(execution: Execution, which: Looked): Promise<BlobRef | undefined> {
  const { store } = execution.world;
  const owner = { tenant: execution.tree.started?.tenant ?? '', run: execution.run };
  const found = await execution.insist(() => findDefinition(store, owner.tenant, which));
  if (!found) return undefined;
  const blob = await execution.insist(() => store.blobs.put(owner, found.text));
  return { ...blob, preview: previewOf(found.text) };
}

async function recall(execution: Execution, step: Step): Promise<Json> {
  if (step.status === 'completed') return execution.busy(resultOf(execution, step));
  throw errorOf(step.failure ?? { code: 'unavailable', message: `«${step.title}» was ${step.status}.` });
}
