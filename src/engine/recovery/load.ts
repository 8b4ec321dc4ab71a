import type { Entry, RunEvent, StepId } from '../../run/events.ts';
import { fold, decodeAll } from '../../run/entries.ts';
import { emptyTree, type RunTree, type Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import { failureOf } from '../../run/failure.ts';
import type { Claim, Journal, Store } from '../../stores/store.ts';
import type { Moment } from '../time/deadlines.ts';
import { recordedIn, type Recorded } from './recorded.ts';
import { bytesBeside } from '../record/writer.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { ask } from '../question/put-question.ts';
import { isYes, decline } from '../leaf/leaf.ts';

export interface Claimed {
  /** When this worker asked for the run. */
  readonly claimed: Moment;
}

export interface Loaded {
  readonly tree: RunTree;
  readonly recorded: Recorded;
  /** Absent of a new one. */
  readonly cutOffs?: CutOffs;
  /** Whether it was created in this worker's hand, a moment ago. */
  readonly isNew?: boolean;
  /** What its journal, and what is kept beside it, takes up. */
  readonly bytes: number;
  /** What it runs, where that is known already. */
  readonly definition?: Json | undefined;
}

/** A run that was claimed. A damaged one is let go: the store gives it to nobody any more, and ends it if that was asked. */
export async function loadClaimed(
  { journal, dispatch }: Pick<Store, 'journal' | 'dispatch'>,
  { fence, head, reason }: Claim,
): Promise<Loaded> {
  try {
    return await loadRun(journal, { run: fence.run, head, reason });
  } catch (thrown) {
    if (failureOf(thrown).code === 'damaged') await dispatch.release({ fence, head });
    throw thrown;
  }
}

/** A run as recorded up to `head`. */
export async function loadRun(
  journal: Pick<Journal, 'read'>,
  {
    run,
    head,
    reason = 'woken',
  }: { readonly run: string; readonly head: number; readonly reason?: Claim['reason'] },
): Promise<Loaded> {
  const tree = emptyTree();
  const entries: Entry[] = [];
  let bytes = 0;
  while (tree.seq < head) {
    const before = tree.seq;
    for (const { frames } of await journal.read(run, tree.seq)) {
      bytes += Buffer.byteLength(frames);
      for (const entry of decodeAll(frames)) {
        if (entry.seq <= tree.seq || entry.seq > head) continue;
        fold(tree, entry);
        entries.push(entry);
        bytes += bytesBeside(entry.event);
      }
    }
    if (tree.seq === before)
      throw new Error(`the journal of ${run} ends at ${before}, but its head is ${head}`);
  }
  return { tree, recorded: recordedIn(tree, entries), cutOffs: cutOffsIn(entries, reason), bytes };
}

/** How long a run that is watched keeps the others that are to be watched from going on. Milliseconds. */
const trial = 15_000;

/**
 * A run may take its worker down with it: each time it is recovered it does so again, and every other run of that worker goes down
 * with it. After two ends without progress a run goes on one at a time, so that the third shows whose doing it was; after the third
 * a person decides.
 */
export class Probation {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when the run may go on; never, if a person stops it. */
  async pass(execution: Execution): Promise<void> {
    const { cutOffs, tree } = execution;
    if (!cutOffs) return;
    // Not before it is known that this worker took it: it would have to be counted.
    if (cutOffs.run > 0) await execution.barrier();
    if (!cutOffs.isSuspicious) return;
    const root = tree.steps.get(0);
    if (cutOffs.run >= mostCutOffs && root && !(await mayGoOn(execution, root))) return forever();
    await this.#alone(execution);
    const message = `Workers ended or lost this run ${cutOffs.run} times, and it got no further; it goes on apart from others of the kind.`;
    execution.emit({ type: 'notice.posted', step: 0, code: onItsOwn, message });
    await execution.barrier();
  }

  async #alone(execution: Execution): Promise<void> {
    const before = this.#last;
    const over = Promise.withResolvers<void>();
    this.#last = before.then(() => over.promise);
    await Promise.race([before, execution.done]);
    const { clock } = execution.world;
    const enough = Promise.race([
      execution.steps.moved,
      execution.done,
      clock.sleep(trial, execution.dropped),
    ]);
    void enough.then(() => over.resolve());
    if (!execution.isLive) return forever();
  }
}

async function mayGoOn(execution: Execution, root: Step): Promise<boolean> {
  const { approval } = ask(execution, root, {
    purpose: 'crash',
    bytes: null,
    // Allowed once, it may come to this again.
    place: execution.cutOffs?.allowed ?? 0,
    title: 'Shall this run go on?',
    message: `${mostCutOffs} workers in a row ended or lost this run, and it got no further: it may be why. Approve to let it try once more, reject to stop it.`,
    allowed: ['approve', 'reject', 'defer'],
    priority: 'high',
  });
  const decided = await execution.questions.decision(approval);
  if (isYes(decided)) {
    execution.cutOffs?.allow(0);
    return true;
  }
  execution.emit({ type: 'stop.requested', by: decided.by, reason: 'It took its workers down.' });
  void execution.stop();
  return false;
}

/** Whether a leaf may be tried again that workers ended with; closed if a person says no. */
export async function mayTryAgain(execution: Execution, step: Step): Promise<boolean> {
  const { approval } = ask(execution, step, {
    purpose: 'crash',
    bytes: null,
    title: `Shall «${step.title}» be tried again?`,
    message: `${mostCutOffs} workers ended or lost the run during it: it may be why. Approve to try it once more, reject to go on without it.`,
    allowed: ['approve', 'reject', 'defer'],
    priority: 'high',
  });
  const decided = await execution.questions.decision(approval);
  if (!isYes(decided)) await decline(execution, step, decided);
  return isYes(decided);
}

/** A run, or an attempt at a leaf, that so many workers in a row ended with is not tried again without a person. */
export const mostCutOffs = 3;

/** From here on a run goes on by itself, so that the next end of a worker shows whose doing it was. */
const suspicious = mostCutOffs - 1;

/** Posted when a suspicious run goes on: without it, a worker that ended had not come to this run yet. */
const onItsOwn = 'ON_ITS_OWN';

type Took = Extract<RunEvent, { type: 'worker.took' }>['reason'];

/** Counted from the journal, as it stands when a worker takes the run for this reason. */
function cutOffsIn(entries: Iterable<Entry>, reason: Took): CutOffs {
  const count = new CutOffs();
  for (const { event } of entries) count.take(event);
  count.take({ type: 'worker.took', worker: '', epoch: 0, reason });
  return count;
}

/** How often workers ended while a run was in their hands. */
export class CutOffs {
  /** In a row, without the run having got any further. */
  run = 0;
  /** How often a person let the run go on. */
  allowed = 0;
  readonly #leaves = new Map<StepId, number>();
  /** What the worker at hand has begun. */
  readonly #begun = new Set<StepId>();
  /** Steps of a back end: they come again with each attempt, and are no progress. */
  readonly #mirrored = new Set<StepId>();
  readonly #questions = new Map<string, StepId>();
  #hasProgress = false;
  #isTried = true;

  get isSuspicious(): boolean {
    return this.run >= suspicious;
  }

  /** During attempts at one leaf. */
  of(step: StepId): number {
    return this.#leaves.get(step) ?? 0;
  }

  /** A person lets it go on: once more, and not three times. */
  allow(step: StepId): void {
    const leaves = step === 0 ? [...this.#leaves.keys()] : [step];
    for (const leaf of leaves) this.#leaves.set(leaf, Math.min(this.of(leaf), suspicious));
    if (step !== 0) return;
    this.allowed += 1;
    this.run = Math.min(this.run, suspicious);
  }

  take(event: RunEvent): void {
    if (event.type === 'worker.took') return this.#takeOver(event.reason);
    if (event.type === 'step.opened') return this.#open(event);
    if (event.type === 'step.started') this.#hasProgress = true;
    if (event.type === 'step.started' || event.type === 'step.retried') this.#begun.add(event.step);
    if (event.type === 'step.closed') this.#close(event.step);
    if (event.type === 'notice.posted' && event.code === onItsOwn) this.#isTried = true;
    if (event.type === 'approval.requested') this.#questions.set(event.approval, event.step);
    if (event.type === 'approval.decided' && event.decision === 'approve') this.#decide(event.approval);
  }

  #takeOver(reason: Took): void {
    if (reason === 'recovered') {
      if (this.#hasProgress) this.run = 1;
      else if (this.#isTried) this.run += 1;
      for (const step of this.#begun) this.#leaves.set(step, this.of(step) + 1);
      this.#hasProgress = false;
    }
    this.#begun.clear();
    this.#isTried = this.run < suspicious;
  }

  #open({ step, origin, started }: Extract<RunEvent, { type: 'step.opened' }>): void {
    if (origin !== undefined) return void this.#mirrored.add(step);
    this.#hasProgress = true;
    if (started) this.#begun.add(step);
  }

  #close(step: StepId): void {
    this.#begun.delete(step);
    this.#leaves.delete(step);
    if (!this.#mirrored.has(step)) this.#hasProgress = true;
  }

  #decide(approval: string): void {
    const step = this.#questions.get(approval);
    if (step !== undefined) this.allow(step);
  }
}
