import { errorOf } from '../../run/failure.ts';
import { isOpen, type Step } from '../../run/tree.ts';
import { Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { findDefinition, noDefinition } from '../record/definition.ts';
import { previewOf, resultOf } from '../record/large.ts';
import type { Looked } from '../scope.ts';
import { openComposite } from './composite.ts';

interface Placed extends Looked {
  readonly parent: number;
  readonly key: string;
}

/** What a definition says, kept with the run: a step whose result is a reference to it. */
export async function lookUp(execution: Execution, { parent, key, ...which }: Placed): Promise<Json> {
  while (execution.isGated) await execution.gate();
  const step = openComposite(execution, { parent, key, kind: 'definition', title: which.name });
  if (step instanceof Promise) return step;
  if (!isOpen(step)) return recall(execution, step);
  const { store } = execution.world;
  const owner = { tenant: execution.tree.started?.tenant ?? '', run: execution.run };
  const found = await execution.insist(() => findDefinition(store, owner.tenant, which));
  if (!found) {
    const gone = noDefinition(which);
    execution.emit({ type: 'step.closed', step: step.id, outcome: 'failed', failure: gone.failure });
    throw gone;
  }
  // As its own: the definition may be erased while the run waits.
  const kept = await execution.insist(() => store.blobs.put(owner, found.text));
  const result = { ...kept, preview: previewOf(found.text) };
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'completed', result });
  return Json.parse(JSON.parse(found.text));
}

async function recall(execution: Execution, step: Step): Promise<Json> {
  if (step.status === 'completed') return execution.busy(resultOf(execution, step));
  throw errorOf(step.failure ?? { code: 'unavailable', message: `«${step.title}» was ${step.status}.` });
}
