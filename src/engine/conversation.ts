import type { EarlierOutcome } from '../policies/policy.ts';
import { callHistory } from '../run/call-history.ts';
import { factName } from '../catalog/state.ts';
import type { RunTree, Step } from '../run/tree.ts';
import { textOf } from '../run/tree.ts';
import type { BlobRef, Json } from '../run/values.ts';
import type { Execution } from './execution.ts';
import { keepLarge, loadLarge } from './large.ts';
import { loadRun } from './load.ts';
import type { AgentExchange, Exchange } from './scope.ts';

/**
 * The earlier runs of a conversation. Which ones count was recorded when this run began, and their journals are final,
 * so a recovery reads the same.
 */
export class Conversation {
  readonly #execution: Execution;
  #trees: Promise<readonly RunTree[]> | undefined;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  async history(): Promise<readonly Exchange[]> {
    const exchanges: Exchange[] = [];
    for (const tree of await this.#earlier()) {
      const { started, ended } = tree;
      if (!started || !ended || ended.answer === undefined) continue;
      exchanges.push({
        run: this.#nameOf(tree),
        text: await this.#textOf(started.input.text),
        answer: await this.#textOf(ended.answer),
      });
    }
    return exchanges;
  }

  /** What a call gave last in an earlier run, not before a time, if nothing was written since. */
  async outcome(signature: string, notBefore: number): Promise<EarlierOutcome | undefined> {
    for (const tree of (await this.#earlier()).toReversed()) {
      const history = callHistory(tree);
      const { lastCompleted: last } = history.past(signature);
      // What was itself remembered is as old as where it came from, which is further back.
      if (last?.status === 'completed' && (last.openedSeq ?? 0) > history.lastWrite) {
        if ((last.closedAt ?? 0) < notBefore) return undefined;
        const result = await loadLarge(this.#execution, last.result);
        return { run: this.#nameOf(tree), result: await keepLarge(this.#execution, result) };
      }
      if (history.lastWrite > 0) return undefined;
    }
    return undefined;
  }

  /** The thread of one agent, oldest first. */
  async thread(agent: string): Promise<readonly AgentExchange[]> {
    const exchanges: AgentExchange[] = [];
    for (const tree of await this.#earlier()) {
      for (const step of tree.steps.values()) {
        if (step.kind !== 'turn' || step.agent !== agent || step.status !== 'completed') continue;
        const state = stateLeftBy(tree, step);
        const kept = state === undefined ? {} : { state: await loadLarge(this.#execution, state) };
        exchanges.push({ run: this.#nameOf(tree), asked: step.query ?? '', answered: textOf(step), ...kept });
      }
    }
    return exchanges;
  }

  #earlier(): Promise<readonly RunTree[]> {
    this.#trees ??= this.#execution.insist(() => this.#load());
    return this.#trees;
  }

  async #load(): Promise<readonly RunTree[]> {
    const { tree, world } = this.#execution;
    const trees: RunTree[] = [];
    for (const run of tree.started?.earlier ?? []) {
      const row = await world.store.dispatch.get(run);
      // Erased since: what nobody may read any more is not part of the conversation.
      if (!row) continue;
      const loaded = await loadRun(world.store.journal, run, row.head);
      this.#names.set(loaded.tree, run);
      trees.push(loaded.tree);
    }
    return trees;
  }

  readonly #names = new WeakMap<RunTree, string>();

  #nameOf(tree: RunTree): string {
    return this.#names.get(tree) ?? '';
  }

  async #textOf(value: string | BlobRef): Promise<string> {
    if (typeof value === 'string') return value;
    const loaded = await loadLarge(this.#execution, value);
    return typeof loaded === 'string' ? loaded : JSON.stringify(loaded);
  }
}

/**
 * What an agent saved last in this conversation: here, or in another run of it, also one that is still at work. The
 * caller has the agent's place in line, so nobody changes it meanwhile, and a retried turn reads the same.
 */
export async function latestState(execution: Execution, agent: string): Promise<Json | undefined> {
  const own = execution.tree.states.get(agent);
  if (own) return loadLarge(execution, own.state);
  const { started } = execution.tree;
  if (!started) return undefined;
  const { journal, dispatch } = execution.world.store;
  const { tenant, conversation } = started;
  for (let after: string | undefined; ;) {
    const rows = await dispatch.list({ tenant, conversation, ...(after === undefined ? {} : { after }) });
    for (const { run, head } of rows) {
      if (run === execution.run) continue;
      const saved = (await loadRun(journal, run, head)).tree.states.get(agent);
      if (saved) return loadLarge(execution, saved.state);
    }
    after = rows.at(-1)?.run;
    if (after === undefined) return undefined;
  }
}

/** Facts that agents of this conversation shared, by name; those nobody shared are left out. */
export async function sharedFacts(
  execution: Execution,
  names: readonly string[],
): Promise<Record<string, Json>> {
  const facts: Record<string, Json> = {};
  for (const name of names) {
    const kept = await latestState(execution, factName(name));
    if (typeof kept === 'object' && kept !== null && 'fact' in kept) facts[name] = kept['fact'];
  }
  return facts;
}

function stateLeftBy(tree: RunTree, step: Step) {
  const saved = [...tree.states.values()].find((state) => state.step === step.id);
  return saved?.state;
}
