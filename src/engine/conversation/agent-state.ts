import type { Agent } from '../../catalog/agent.ts';
import { sharedFacts } from '../../catalog/shared-facts.ts';
import { keepState } from '../../catalog/state.ts';
import { factName } from '../../run/combined-state.ts';
import type { StepId } from '../../run/events.ts';
import type { BlobRef, Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { isLarge, keepLarge } from '../record/large.ts';

/**
 * What an agent wants to be remembered, checked by its strategy. It is saved the moment it is reported, so that an id
 * the agent gave survives a crash in the middle of its turn; only what is too large for an entry waits for the end.
 */
export class AgentState {
  readonly #execution: Execution;
  readonly #step: StepId;
  readonly #agent: Agent;
  #large: Json | undefined;
  #isSaved = false;

  constructor(execution: Execution, step: StepId, agent: Agent) {
    this.#execution = execution;
    this.#step = step;
    this.#agent = agent;
  }

  report(reported: Json): void {
    const { name, state: strategy = 'stateless', keeps } = this.#agent;
    const { own, facts, problems } = sharedFacts(reported);
    for (const problem of problems) this.#notice('STATE_REFUSED', problem);
    for (const [fact, value] of Object.entries(facts))
      this.#emit({ agent: factName(fact), strategy: 'shared', state: { fact: value } });
    const checked = keepState(strategy, own, keeps);
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

  /**
   * The turn is over. An id that still holds is saved again with every turn: kept only by the run that was given it, it
   * would be lost once that run is erased.
   */
  async settle(given: Json | undefined): Promise<void> {
    const holds = this.#agent.state === 'conversation-id' && !this.#isSaved ? given : undefined;
    const late = this.#large ?? holds;
    if (late !== undefined) this.#save(await keepLarge(this.#execution, late));
  }

  #save(state: BlobRef | Json): void {
    const { name: agent, state: strategy = 'stateless' } = this.#agent;
    this.#isSaved = true;
    this.#emit({ agent, strategy, state });
  }

  #emit(saved: { readonly agent: string; readonly strategy: string; readonly state: BlobRef | Json }): void {
    this.#execution.emit({ type: 'state.saved', step: this.#step, ...saved });
  }

  #notice(code: string, message: string): void {
    this.#execution.emit({ type: 'notice.posted', step: this.#step, code, message });
  }
}
