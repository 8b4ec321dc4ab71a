import type { Call, Outcome, StepId } from './events.ts';
import type { Failure } from './failure.ts';
import { requestOf } from './request.ts';
import type { RunTree } from './tree.ts';
import type { BlobRef, Json } from './values.ts';

/** What became of a call, under (request, batch, call). */
export interface CallOutcome {
  readonly request: string;
  /** The batch it was in; 0 outside of all. */
  readonly batch: number;
  /** The model's own id for it. */
  readonly call: string;
  readonly step: StepId;
  readonly tool: string;
  readonly arguments: Call['arguments'];
  readonly signature: string;
  readonly outcome: Outcome;
  readonly result?: BlobRef | Json;
  readonly failure?: Failure;
  readonly reusedFrom?: StepId;
  /** The message it served: a follow-up, by its id, or `input`, what the run began with. */
  readonly message: string;
  readonly closedAt: number;
}

/** The outcomes of all calls of a run, in the order the calls were opened. */
export function outcomes(tree: RunTree, run: string): CallOutcome[] {
  const request = requestOf(tree.started?.labels, run);
  const taken = [...tree.messages.values()]
    .filter(({ takenSeq }) => takenSeq !== undefined)
    .toSorted((a, b) => (a.takenSeq ?? 0) - (b.takenSeq ?? 0));
  const found: CallOutcome[] = [];
  for (const step of tree.steps.values()) {
    const { id, call, status, phase, openedSeq = 0, closedAt = 0 } = step;
    if (!call || status === 'pending' || status === 'running' || status === 'waiting') continue;
    found.push({
      request,
      batch: phase?.batch ?? 0,
      call: call.id,
      step: id,
      tool: call.tool,
      arguments: call.arguments,
      signature: call.signature,
      outcome: status,
      result: step.result,
      failure: step.failure,
      reusedFrom: step.reusedFrom,
      message: taken.findLast(({ takenSeq = 0 }) => takenSeq < openedSeq)?.id ?? 'input',
      closedAt,
    });
  }
  return found;
}
