import type { Entry, RunEvent, StepId } from '../../run/events.ts';

/** A run, or an attempt at a leaf, that so many workers in a row ended with is not tried again without a person. */
export const mostCutOffs = 3;

/** From here on a run goes on by itself, so that the next end of a worker shows whose doing it was. */
const suspicious = mostCutOffs - 1;

/** Posted when a suspicious run goes on: without it, a worker that ended had not come to this run yet. */
export const onItsOwn = 'ON_ITS_OWN';

type Took = Extract<RunEvent, { type: 'worker.took' }>['reason'];

/** Counted from the journal, as it stands when a worker takes the run for this reason. */
export function cutOffsIn(entries: Iterable<Entry>, reason: Took): CutOffs {
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
