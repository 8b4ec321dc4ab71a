import type { Agent } from '../catalog/agent.ts';
import { factName, keepState, splitShared } from '../catalog/state.ts';
import type { StepId } from '../run/events.ts';
import type { BlobRef, Json } from '../run/values.ts';
import type { Execution } from './execution.ts';
import { isLarge, keepLarge } from './large.ts';

/**
 * What an agent wants to be remembered, checked by its strategy. It is saved the moment it is reported, so that an id
 * the agent gave survives a crash in the middle of its turn; only what is too large for an entry waits for the end.
 */
export class AgentState {
  readonly #execution: Execution;
  readonly #step: StepId;
  readonly #agent: Agent;
  #large: Json | undefined;

  constructor(execution: Execution, step: StepId, agent: Agent) {
    this.#execution = execution;
    this.#step = step;
    this.#agent = agent;
  }

  report(reported: Json): void {
    const { name, state: strategy = 'stateless' } = this.#agent;
    const { own, shared } = splitShared(reported);
    this.#publish(shared);
    const checked = keepState(strategy, own);
    if ('problem' in checked)
      return this.#notice('STATE_REFUSED', `The state of ${name} was not kept: ${checked.problem}.`);
    if (checked.left > 0) {
      this.#notice(
        'STATE_PRUNED',
        `${checked.left} older tool exchanges of ${name} were left out of its state.`,
      );
    }
    this.#large = isLarge(checked.state) ? checked.state : undefined;
    if (this.#large === undefined) this.#save(checked.state);
  }

  async settle(): Promise<void> {
    if (this.#large !== undefined) this.#save(await keepLarge(this.#execution, this.#large));
  }

  /** What others may know is data of the conversation, not of the agent. */
  #publish(facts: Readonly<Record<string, Json>>): void {
    for (const [name, fact] of Object.entries(facts)) {
      const checked = keepState('shared', { fact });
      if ('problem' in checked)
        this.#notice('STATE_REFUSED', `The fact «${name}» was not shared: ${checked.problem}.`);
      else {
        const agent = factName(name);
        this.#execution.emit({
          type: 'state.saved',
          step: this.#step,
          agent,
          strategy: 'shared',
          state: checked.state,
        });
      }
    }
  }

  #save(state: BlobRef | Json): void {
    const { name: agent, state: strategy = 'stateless' } = this.#agent;
    this.#execution.emit({ type: 'state.saved', step: this.#step, agent, strategy, state });
  }

  #notice(code: string, message: string): void {
    this.#execution.emit({ type: 'notice.posted', step: this.#step, code, message });
  }
}
