import type { StepId } from './events.ts';
import { isOpen, type RunTree, type Step } from './tree.ts';

/** What became of one call, however often it was asked for. */
export interface Past {
  readonly firstCompleted?: Step;
  readonly lastCompleted?: Step;
  /** The last two failures, older first. */
  readonly failed: readonly Step[];
  /** A person said no. */
  readonly rejected?: Step;
}

/** What a run has called so far, by signature. */
export interface CallHistory {
  /** How many calls models asked for again and got an earlier outcome of. */
  readonly duplicates: number;
  /** The entry that ended the last effect that may have written something; infinite while one is under way. */
  readonly lastWrite: number;
  /** A call with this signature that is under way. */
  running(signature: string): Step | undefined;
  past(signature: string): Past;
}

const nothing: Past = { failed: [] };
const histories = new WeakMap<RunTree, History>();

/**
 * The tree is folded in place, so its history is too: each step is looked at when it is new, and again until it is
 * closed. A verdict costs what is under way, however long the run is.
 */
export function callHistory(tree: RunTree): CallHistory {
  let history = histories.get(tree);
  if (!history) histories.set(tree, (history = new History(tree)));
  history.catchUp();
  return history;
}

class History implements CallHistory {
  duplicates = 0;
  readonly #tree: RunTree;
  readonly #unsettled = new Set<StepId>();
  readonly #past = new Map<string, Past>();
  #next: StepId = 1;
  #lastWrite = 0;

  constructor(tree: RunTree) {
    this.#tree = tree;
  }

  get lastWrite(): number {
    for (const step of this.#open()) if (step.started && isWriting(step)) return Number.POSITIVE_INFINITY;
    return this.#lastWrite;
  }

  running(signature: string): Step | undefined {
    for (const step of this.#open()) if (step.call?.signature === signature) return step;
    return undefined;
  }

  past(signature: string): Past {
    return this.#past.get(signature) ?? nothing;
  }

  catchUp(): void {
    for (; this.#next < this.#tree.nextStep; this.#next += 1) this.#unsettled.add(this.#next);
    const closed: Step[] = [];
    for (const id of this.#unsettled) {
      const step = this.#tree.steps.get(id);
      if (step && (step.status === 'pending' || (isOpen(step) && isEffect(step)))) continue;
      // A step made of others has no effect of its own, whatever becomes of it.
      this.#unsettled.delete(id);
      if (step && isEffect(step)) closed.push(step);
    }
    closed.sort((a, b) => (a.closedSeq ?? 0) - (b.closedSeq ?? 0));
    for (const step of closed) this.#settle(step);
  }

  #settle(step: Step): void {
    if (step.started && isWriting(step)) this.#lastWrite = Math.max(this.#lastWrite, step.closedSeq ?? 0);
    const { call } = step;
    if (!call) return;
    // A call without an id of its own is the flow's, and a flow does not loop by mistake.
    if (isDuplicate(step)) this.duplicates += call.id === step.key ? 0 : 1;
    else this.#past.set(call.signature, added(this.past(call.signature), step, this.#tree));
  }

  *#open(): Iterable<Step> {
    for (const id of this.#unsettled) {
      const step = this.#tree.steps.get(id);
      if (step && isOpen(step) && isEffect(step)) yield step;
    }
  }
}

function added(past: Past, step: Step, tree: RunTree): Past {
  if (step.status === 'completed' || step.status === 'reused')
    return { ...past, firstCompleted: past.firstCompleted ?? step, lastCompleted: step };
  // What was never begun has no outcome: arguments that did not fit, a refusal, a budget.
  if (step.status === 'failed' && step.started) return { ...past, failed: [...past.failed, step].slice(-2) };
  return isRejected(tree, step) ? { ...past, rejected: step } : past;
}

/** What an earlier run of the conversation had found is new to this one. */
function isDuplicate({ reusedFrom }: Step): boolean {
  return reusedFrom !== undefined;
}

function isRejected(tree: RunTree, step: Step): boolean {
  if (step.status !== 'skipped' || step.failure?.code !== 'refused') return false;
  for (const { step: about, decided } of tree.approvals.values())
    if (about === step.id && decided?.decision === 'reject') return true;
  return false;
}

function isEffect({ kind }: Step): boolean {
  return kind === 'call' || kind === 'turn';
}

function isWriting({ call, effect }: Step): boolean {
  return (call?.effect ?? effect ?? 'pure') !== 'pure';
}
