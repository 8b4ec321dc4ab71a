import type { EarlierOutcome, Intent } from '../../policies/policy.ts';
import type { Call, EventOf, StepId } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import { type Step, isOpen, type RunTree, stepOf } from '../../run/tree.ts';
import type { Source } from '../../run/untrusted.ts';
import type { BlobRef, Effect, Json, Usage } from '../../run/values.ts';
import type { Asking } from '../../tools/tool.ts';
import type { Standing } from '../conversation/standing.ts';
import type { Execution } from '../execution.ts';
import { keepClean, keepLarge } from '../record/large.ts';
import { cleanResult } from '../record/tell-redacted.ts';
import type { Refusal } from '../scope.ts';

/** How an effect came out. */
export interface LeafOutcome {
  readonly outcome: 'completed' | 'failed';
  readonly result?: Json;
  readonly failure?: Failure;
  readonly usage?: Usage;
  /** Whoever was asked was lost on the way: nobody knows whether it happened. */
  readonly isLost?: boolean;
}

/** What the one who was asked remembers of it. */
export interface Recalled {
  /** Whether it arrived there; undefined when nobody can tell. */
  readonly arrived: boolean | undefined;
  readonly answer?: string | undefined;
}

type Opening = Omit<EventOf<'step.opened'>, 'type' | 'step' | 'parent' | 'key' | 'started' | 'attempt'>;

/** A turn or a call: the only things that have effects. */
export interface Leaf {
  readonly key: string;
  readonly opening: Opening;
  readonly effect: Effect;
  readonly intent: Intent;
  /** The flow shows it and does not want it run. */
  readonly refusal?: Refusal | undefined;
  /** What the same call gave earlier in the conversation. */
  readonly earlier?: EarlierOutcome | undefined;
  /** What others wrote and other runs of the conversation have read. */
  readonly inherited?: readonly Source[] | undefined;
  /** Known to fail before anything is asked of anyone: arguments that do not fit. */
  readonly misfit?: Failure | undefined;
  /** What of the arguments is not checked, each in words. */
  readonly unchecked?: readonly string[] | undefined;
  /** How a person is asked, where one must agree. */
  readonly asking?: Asking | undefined;
  /** What a person sees and agrees to, exactly. */
  readonly bytes: Json;
  /** The same as an entry carries it, where it is large. */
  readonly shown?: BlobRef | Json | undefined;
  /** The call as it is after a person has edited it. */
  edited(bytes: Json): Promise<Call | undefined>;
  /** Where the agent stands in its conversation, or what a tool says of itself: an agreement holds as long as that is so. */
  standing?(step: Step): Promise<Standing>;
  /** The same as it was just before this was opened, where a person may be asked. */
  readonly stood?: Standing | undefined;
  /** Whether the agent itself has lost the conversation; undefined when nobody can tell. */
  hasForgotten?(step: Step): Promise<boolean | undefined>;
  /** Only one at a time may be under way under this name. */
  readonly exclusive?: string | undefined;
  /** `begin` is awaited before anything is done outside; without its leave nothing is, and there is no outcome. */
  perform(step: Step, bytes: Json, begin: () => Promise<boolean>): Promise<LeafOutcome | undefined>;
  /** Looks into the history of whoever is asked, where there is one. */
  recall?(step: Step, bytes: Json): Promise<Recalled>;
}

/** Record how an effect came out. */
export function closeLeaf(execution: Execution, step: Step, outcome: LeafOutcome): Promise<void> {
  return execution.recording(async () => {
    const { result: given, isLost: _, ...known } = outcome;
    const result = given === undefined ? {} : { result: await kept(execution, step, given) };
    if (isOpen(step)) execution.emit({ type: 'step.closed', step: step.id, ...known, ...result });
    else
      tellLate(execution, step, `«${step.title}» ended after it had been closed; its outcome is not used.`);
  });
}

async function kept(execution: Execution, step: Step, given: Json): Promise<BlobRef | Json> {
  if (!isOpen(step)) return keepLarge(execution, given);
  const clean = cleanResult(execution, step, given);
  return keepClean(execution, clean instanceof Promise ? await clean : clean);
}

/** What comes when nobody waits for it any more is shown all the same. */
export function tellLate(execution: Execution, step: Step, message: string): void {
  execution.emit({ type: 'notice.posted', step: step.id, code: 'LATE_RESULT', message });
}

/** What a person made of the work of a step, if anyone did and it still holds. */
export function lastEdit({ approvals }: RunTree, step: StepId): BlobRef | Json | undefined {
  let edited: BlobRef | Json | undefined;
  for (const { step: about, decided, lapsedAt } of approvals.values()) {
    if (about !== step || decided?.decision !== 'edit' || lapsedAt !== undefined) continue;
    if (decided.arguments !== undefined) edited = decided.arguments;
  }
  return edited;
}

/** The same for every attempt of the same work, and different once a person has changed what will run. */
export function idempotencyKey({ world, run, tree }: Execution, step: Step, bytes: Json): string {
  const work = step.call ? step.call.signature : JSON.stringify([step.agent, bytes]);
  return `${run}-${firstTry(tree, step).id}-${world.hash(work).slice(0, 12)}`;
}

/** A call in a step `try` is the work of the same call in the step around it, once more. */
function firstTry(tree: RunTree, step: Step): Step {
  const within = stepOf(tree, step.parent);
  if (!step.call || within.kind !== 'try') return step;
  const { signature } = step.call;
  const before = stepOf(tree, within.parent).children.map((id) => stepOf(tree, id));
  return before.find(({ call }) => call?.signature === signature) ?? step;
}
