import type { AgentEvent } from '../../gateways/gateway.ts';
import type { StepId } from '../../run/events.ts';
import { isOwnKind, stageKind } from '../../run/own-kinds.ts';
import { isOpen, present } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
type StageEvent = Extract<AgentEvent, { readonly stage: string }>;

/** An answer in which nothing fits is told in few notices. */
const mostNotices = 20;
/** So many stages are closed at once. */
const together = 50;

/**
 * Shows the stages of a back end as steps below its turn. Stages go by the back end's own keys; what does not fit (a
 * close of something never opened, a second opening, text after the close) is shown as a notice and never opens a
 * phantom.
 */
export class Mirror {
  readonly #execution: Execution;
  readonly #turn: StepId;
  readonly #steps = new Map<string, StepId>();
  readonly #untitled = new Set<string>();
  /** Closed by the back end while stages below them went on; they are closed when those are. */
  readonly #closing = new Map<StepId, 'completed' | 'failed'>();
  /** How many stages below a step have not been closed: to look for them at each close would take longer with each stage. */
  readonly #running = new Map<StepId, number>();
  #opened = 0;
  #complained = 0;

  constructor(execution: Execution, turn: StepId) {
    this.#execution = execution;
    this.#turn = turn;
  }

  take(event: StageEvent): void {
    if (event.type === 'stage.opened') return this.#open(event);
    const step = this.#steps.get(event.stage);
    if (step === undefined && event.type === 'stage.closed') {
      return this.#complain(`The back end closed a stage it never opened (${event.stage}).`);
    }
    if (step === undefined) {
      this.#complain(`The back end wrote to a stage it never opened (${event.stage}).`);
      this.#open({ type: 'stage.opened', stage: event.stage });
      return this.take(event);
    }
    if (this.#isOpen(step)) return this.#write(step, event);
    const lost = 'text' in event ? `: «${event.text.slice(0, 200).toWellFormed()}»` : '';
    this.#complain(`The back end went on with a closed stage (${event.stage})${lost}.`);
  }

  /** A stage without a name gets a readable one, and one that was never closed is closed with its turn. */
  async finish(outcome: 'completed' | 'failed' | 'stopped'): Promise<void> {
    const breathe = this.#execution.world.clock.breather();
    for (const [i, [stage, step]] of [...this.#steps].reverse().entries()) {
      // One that floods us leaves thousands of them.
      if (i % together === together - 1) await breathe();
      const known = this.#execution.tree.steps.get(step);
      if (!known || !isOpen(known)) continue;
      this.#title(stage, step);
      const own = this.#closing.get(step) ?? (outcome === 'completed' ? 'abandoned' : outcome);
      this.#execution.emit({ type: 'step.closed', step, outcome: own });
    }
    const more = this.#complained - mostNotices;
    if (more > 0 && this.#isOpen(this.#turn))
      this.#post(`The back end sent ${more} more pieces of stages that do not fit.`);
  }

  #open(opening: Extract<AgentEvent, { type: 'stage.opened' }>): void {
    const { stage, parent, title, kind = 'stage', agent, icon, query } = opening;
    const before = this.#steps.get(stage);
    const isAgain = before !== undefined;
    const name = title ? `${stage}, «${title}»` : stage;
    if (this.#isOpen(before)) return this.#complain(`The back end opened a stage twice (${name}).`);
    if (isAgain) this.#complain(`The back end used a closed stage again (${name}); it is shown as another.`);
    const isFalse = isOwnKind(kind) || this.#isAnother(agent);
    if (isFalse) this.#complain(`The back end gave a stage out for somebody else's work (${name}).`);
    const above = parent === undefined ? undefined : this.#steps.get(parent);
    if (parent !== undefined && above === undefined) {
      this.#complain(`The back end put a stage under one it never opened (${parent}).`);
    }
    if (above !== undefined && !this.#isOpen(above)) {
      this.#complain(`The back end put a stage under one that is closed (${parent}).`);
    }
    const step = this.#execution.tree.nextStep;
    this.#opened += 1;
    // A stage that is used again comes after those that were opened since.
    this.#steps.delete(stage);
    this.#steps.set(stage, step);
    if (title === undefined || title === '') this.#untitled.add(stage);
    const below = this.#isOpen(above) ? above : this.#turn;
    this.#count(below, 1);
    this.#execution.emit({
      type: 'step.opened',
      step,
      parent: below,
      key: isAgain ? `stage ${stage} again ${this.#opened}` : `stage ${stage}`,
      kind: stageKind(kind),
      title: title ?? '',
      origin: stage,
      ...present({ agent: this.#isAnother(agent) ? undefined : agent, icon, query }),
    });
  }

  /** Whose stage it is follows from whose turn it is, not from what is said in it. */
  #isAnother(agent: string | undefined): boolean {
    const { world, tree } = this.#execution;
    const isKnown = world.catalog.agents.some(({ name }) => name === agent);
    return isKnown && tree.steps.get(this.#turn)?.agent !== agent;
  }

  #write(step: StepId, event: Exclude<StageEvent, { type: 'stage.opened' }>): void {
    switch (event.type) {
      case 'stage.titled':
        if (event.text !== '') this.#untitled.delete(event.stage);
        return this.#execution.emit({ type: 'title.appended', step, text: event.text });
      case 'stage.appended': {
        const { text, channel = 'content' } = event;
        return this.#execution.emit({ type: 'text.appended', step, channel, text });
      }
      case 'stage.attached':
        return this.#execution.emit({ type: 'item.attached', step, item: event.item });
      case 'stage.closed':
        this.#title(event.stage, step);
        return this.#close(step, event.outcome);
    }
  }

  /** A closed step takes what is below it with it, but a back end may close a stage before those inside it. */
  #close(step: StepId, outcome: 'completed' | 'failed'): void {
    this.#closing.set(step, outcome);
    for (let next: StepId | undefined = step; next !== undefined;) {
      const known = this.#execution.tree.steps.get(next);
      const own = this.#closing.get(next);
      if (!known || own === undefined || (this.#running.get(next) ?? 0) > 0) return;
      this.#closing.delete(next);
      this.#running.delete(next);
      this.#execution.emit({ type: 'step.closed', step: next, outcome: own });
      this.#count(known.parent, -1);
      next = known.parent;
    }
  }

  #count(above: StepId, more: number): void {
    this.#running.set(above, (this.#running.get(above) ?? 0) + more);
  }

  #title(stage: string, step: StepId): void {
    if (!this.#untitled.delete(stage)) return;
    this.#execution.emit({ type: 'title.appended', step, text: `Stage ${stage}` });
  }

  /** Whether the back end may write to it. */
  #isOpen(step: StepId | undefined): step is StepId {
    return step !== undefined && this.#isRunning(step) && !this.#closing.has(step);
  }

  #isRunning(step: StepId): boolean {
    const known = this.#execution.tree.steps.get(step);
    return known !== undefined && isOpen(known);
  }

  #complain(message: string): void {
    this.#complained += 1;
    if (this.#complained <= mostNotices) this.#post(message);
  }

  #post(message: string): void {
    this.#execution.emit({ type: 'notice.posted', step: this.#turn, code: 'UPSTREAM_MALFORMED', message });
  }
}
