import type { Agent } from '../../catalog/agent.ts';
import type { AgentEvent, AgentQuestion } from '../../gateways/gateway.ts';
import type { RunError } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import { costOf } from '../../run/cost.ts';
import { tokensIn } from '../../run/tokens.ts';
import { textOf, type Step } from '../../run/tree.ts';
import type { Json, Usage } from '../../run/values.ts';
import { AgentState } from '../conversation/agent-state.ts';
import type { Execution } from '../execution.ts';
import type { LeafOutcome } from '../leaf/leaf.ts';
import { Mirror } from './mirror.ts';
import { tellEnding } from './turn-ending.ts';
import type { TurnResult } from '../scope.ts';

/** Turns what a back end tells into entries of one step and those below it. */
export class TurnReader {
  readonly #execution: Execution;
  readonly #step: Step;
  readonly #agent: Agent;
  readonly #state: AgentState;
  /** Only of those who tell stages of their own. */
  #mirror: Mirror | undefined;
  readonly #sent: number;
  #usage: Usage | undefined;
  #finish: TurnResult['finish'] = 'other';
  readonly #questions: AgentQuestion[] = [];

  /** `sent` is how many characters the agent was sent. */
  constructor(execution: Execution, step: Step, { agent, sent }: { agent: Agent; sent: number }) {
    this.#sent = sent;
    this.#agent = agent;
    this.#execution = execution;
    this.#step = step;
    this.#state = new AgentState(execution, step.id, agent);
  }

  take(event: AgentEvent): void {
    const step = this.#step.id;
    switch (event.type) {
      case 'text.appended':
        return this.#emit({
          type: 'text.appended',
          step,
          channel: event.channel ?? 'content',
          text: event.text,
        });
      case 'call.appended': {
        const tool = event.tool === undefined ? {} : { tool: event.tool };
        return this.#emit({
          type: 'text.appended',
          step,
          channel: 'arguments',
          text: event.text,
          call: event.call,
          ...tool,
        });
      }
      case 'item.attached':
        return this.#emit({ type: 'item.attached', step, item: event.item });
      case 'state.reported':
        return this.#state.report(event.state);
      case 'usage.reported':
        this.#usage = event.usage;
        return;
      case 'turn.retried':
        return this.#retry(event);
      case 'notice.posted':
        return this.#emit({ type: 'notice.posted', step, code: event.code, message: event.message });
      case 'question.asked':
        this.#questions.push(event.question);
        return;
      case 'turn.finished':
        this.#finish = event.reason;
        return;
      case 'stage.opened':
      case 'stage.titled':
      case 'stage.appended':
      case 'stage.attached':
      case 'stage.closed':
        this.#mirror ??= new Mirror(this.#execution, this.#step.id);
        return this.#mirror.take(event);
    }
  }

  /** Rejects with `RunError` where nothing is left of the answer. */
  async finish(reason = this.#finish): Promise<LeafOutcome> {
    tellEnding(this.#execution, this.#step, { agent: this.#agent, finish: reason });
    await this.#mirror?.finish('completed');
    // As it will be read back: what is absent is not there.
    const questions = this.#questions.map((question) => present(question) as Json);
    const result: Json = questions.length === 0 ? { finish: reason } : { finish: 'asks', questions };
    return { outcome: 'completed', result, usage: this.#used() };
  }

  /** What could not be recorded as it came. `given` is the state the turn began with. */
  settle(given?: Json): Promise<void> {
    return this.#state.settle(given);
  }

  /** What was written before the failure is paid for too. */
  async fail({ failure }: RunError): Promise<LeafOutcome> {
    await this.abandon();
    return { outcome: 'failed', failure, ...present({ usage: this.#paid() }) };
  }

  /** What the agent was at when it was cut off did not fail by itself if somebody stopped it. */
  async abandon(): Promise<void> {
    await this.#mirror?.finish(this.#execution.signal.aborted ? 'stopped' : 'failed');
  }

  #retry({ reason, model }: Extract<AgentEvent, { type: 'turn.retried' }>): void {
    const attempt = this.#step.attempt + 1;
    const paid = this.#paid();
    this.#usage = undefined;
    this.#finish = 'other';
    this.#questions.length = 0;
    this.#mirror = undefined;
    this.#emit({
      type: 'step.retried',
      step: this.#step.id,
      attempt,
      reason,
      ...(paid ? present({ tokens: paid.input + paid.output, cost: paid.cost }) : {}),
      ...(model === undefined ? {} : { model }),
    });
  }

  /** What the model says it used, or an estimate of what it read and wrote: one that says nothing must not be free. */
  #used(): Usage {
    if (this.#usage) return this.#priced(this.#usage);
    return this.#priced({
      input: tokensIn(this.#sent),
      output: tokensIn(writtenIn(this.#step)),
      estimated: true,
    });
  }

  /** Prices are those of the model that is configured: what another one costs that answered in its place is not known. */
  #priced(usage: Usage): Usage {
    const { prices, model } = this.#agent;
    if (!prices || this.#step.model !== model) return usage;
    return { ...usage, cost: costOf(usage, prices) };
  }

  /** Of what was not finished: where nothing came back, nothing may have been read. */
  #paid(): Usage | undefined {
    const used = this.#used();
    return this.#usage || used.output > 0 ? used : undefined;
  }

  #emit(event: Parameters<Execution['emit']>[0]): void {
    this.#execution.emit(event);
  }
}

/** In characters. */
function writtenIn(step: Step): number {
  const requested = [...(step.requests?.values() ?? [])].flatMap(({ pieces }) => pieces);
  return textOf(step).length + textOf(step, 'reasoning').length + requested.join('').length;
}
