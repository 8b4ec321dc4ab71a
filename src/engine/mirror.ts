import type { AgentEvent } from '../gateways/gateway.ts';
import type { StepId } from '../run/events.ts';
import { isOpen } from '../run/tree.ts';
import type { Execution } from './execution.ts';

type StageEvent = Extract<AgentEvent, { readonly stage: string }>;

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
    const known = this.#execution.tree.steps.get(step);
    if (!known || !isOpen(known))
      return this.#complain(`The back end went on with a closed stage (${event.stage}).`);
    this.#write(step, event);
  }

  /** A stage without a name gets a readable one, and one that was never closed is closed with its turn. */
  finish(outcome: 'completed' | 'failed'): void {
    for (const [stage, step] of [...this.#steps].reverse()) {
      const known = this.#execution.tree.steps.get(step);
      if (!known || !isOpen(known)) continue;
      this.#title(stage, step);
      this.#execution.emit({
        type: 'step.closed',
        step,
        outcome: outcome === 'failed' ? 'failed' : 'abandoned',
      });
    }
  }

  #open({
    stage,
    parent,
    title,
    kind,
    agent,
    icon,
    query,
  }: Extract<AgentEvent, { type: 'stage.opened' }>): void {
    const before = this.#steps.get(stage);
    const known = before === undefined ? undefined : this.#execution.tree.steps.get(before);
    if (known && isOpen(known)) return this.#complain(`The back end opened a stage twice (${stage}).`);
    const above = parent === undefined ? undefined : this.#steps.get(parent);
    if (parent !== undefined && above === undefined) {
      this.#complain(`The back end put a stage under one it never opened (${parent}).`);
    }
    if (above !== undefined && !this.#isOpen(above)) {
      this.#complain(`The back end put a stage under one that is closed (${parent}).`);
    }
    const step = this.#execution.tree.nextStep;
    // A stage that is used again comes after those that were opened since.
    this.#steps.delete(stage);
    this.#steps.set(stage, step);
    if (title === undefined || title === '') this.#untitled.add(stage);
    this.#execution.emit({
      type: 'step.opened',
      step,
      parent: this.#isOpen(above) ? above : this.#turn,
      key: `stage ${stage}`,
      kind: kind ?? 'stage',
      title: title ?? '',
      origin: stage,
      ...(agent === undefined ? {} : { agent }),
      ...(icon === undefined ? {} : { icon }),
      ...(query === undefined ? {} : { query }),
    });
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
        return this.#execution.emit({ type: 'step.closed', step, outcome: event.outcome });
    }
  }

  #title(stage: string, step: StepId): void {
    if (!this.#untitled.delete(stage)) return;
    this.#execution.emit({ type: 'title.appended', step, text: `Stage ${stage}` });
  }

  #isOpen(step: StepId | undefined): step is StepId {
    const known = step === undefined ? undefined : this.#execution.tree.steps.get(step);
    return known !== undefined && isOpen(known);
  }

  #complain(message: string): void {
    this.#execution.emit({ type: 'notice.posted', step: this.#turn, code: 'UPSTREAM_MALFORMED', message });
  }
}
