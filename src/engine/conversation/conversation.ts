import type { EarlierOutcome } from '../../policies/policy.ts';
import { callHistory } from '../../run/call-history.ts';
import type { EventOf, SentMessage, StepId } from '../../run/events.ts';
import { failureOf } from '../../run/failure.ts';
import { type RunTree, filled, present } from '../../run/tree.ts';
import type { BlobRef, Attachment, Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { keepLarge, loadLarge, loadHistory, isLarge } from '../record/recordable.ts';
import { loadRun } from '../recovery/load.ts';
import type { Exchange } from '../scope.ts';
import type { Store } from '../../stores/store.ts';
import { holdingPlaces } from './places.ts';
import type { Message } from '../../gateways/gateway.ts';
import type { Agent } from '../../catalog/agent.ts';
import { sharedFacts } from '../../catalog/shared-facts.ts';
import { factName } from '../../run/combined-state.ts';
import { keepState } from '../../catalog/state.ts';
import { decodeAll } from '../../run/entries.ts';

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
    const { history } = this.#execution.tree.started ?? {};
    if (history) return this.#sentWith(history);
    const exchanges: Exchange[] = [];
    for (const tree of await this.#earlier()) {
      const { started, ended } = tree;
      if (!started || !ended || ended.answer === undefined) continue;
      // What was said before it is what came with it, where something did.
      if (started.history) exchanges.splice(0, exchanges.length, ...(await this.#sentWith(started.history)));
      exchanges.push({
        run: this.#nameOf(tree),
        text: await this.#textOf(started.guarded ?? started.input.text),
        answer: await this.#textOf(ended.answer),
      });
    }
    return exchanges;
  }

  /** A conversation that was sent along, with what was attached as far as it is still there. */
  async #sentWith(history: NonNullable<EventOf<'run.started'>['history']>): Promise<readonly Exchange[]> {
    const { remembered } = this.#execution;
    const sent = await loadHistory(this.#execution, history);
    const whole: Exchange[] = [];
    for (const { attachments = [], ...exchange } of exchangesIn(sent).map(plainExchange)) {
      const loaded = await Promise.all(attachments.map((one) => remembered.whole(one)));
      whole.push({ ...exchange, ...present({ attachments: filled(loaded) }) });
    }
    return whole;
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
      const loaded = await loadRun(world.store.journal, row).catch(this.#without(run));
      if (!loaded) continue;
      this.#names.set(loaded.tree, run);
      trees.push(loaded.tree);
    }
    return trees;
  }

  /** The conversation goes on without a run that nobody can read any more, and says so. */
  #without(run: string): (thrown: unknown) => undefined {
    return (thrown) => {
      if (failureOf(thrown).code !== 'damaged') throw thrown;
      const { tree } = this.#execution;
      const message = `Run ${run} of this conversation is damaged: what was said in it is left out.`;
      if (tree.notices.some((notice) => notice.message === message)) return;
      this.#execution.emit({ type: 'notice.posted', step: 0, code: 'EARLIER_DAMAGED', message });
    };
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

/** How many earlier runs of a conversation a run looks back on. */
const remembered = 50;

type Started = EventOf<'run.started'>;

/** What was asked for: a conversation that is not named begins with it. */
interface Asked {
  readonly conversation?: string;
  /** The run whose place it takes. */
  readonly replaces?: string;
  /** The run it goes on after. */
  readonly follows?: string;
}

/** The runs a new one looks back on: those that have ended and hold their places, or what the one it replaces had. */
export async function pastOf(
  { dispatch, journal }: Pick<Store, 'dispatch' | 'journal'>,
  { conversation: named, replaces, follows }: Asked,
  where: { readonly tenant: string; readonly conversation: string },
): Promise<Pick<Started, 'earlier' | 'replaces'>> {
  if (replaces !== undefined)
    return { replaces, ...present({ earlier: await earlierOf(journal, replaces) }) };
  if (follows !== undefined)
    return { earlier: [...((await earlierOf(journal, follows)) ?? []), follows].slice(-remembered) };
  if (named === undefined) return {};
  const rows = await dispatch.list({ ...where, limit: remembered });
  const ended = holdingPlaces(rows).filter(({ state }) => state === 'ended');
  return present({ earlier: filled(ended.map(({ run }) => run)) });
}

async function earlierOf(journal: Store['journal'], run: string): Promise<Started['earlier']> {
  const [chunk] = await journal.read(run, 0);
  const event = chunk && decodeAll(chunk.frames)[0]?.event;
  return event?.type === 'run.started' ? event.earlier : undefined;
}

/** What is asked in a turn: the last message of the person, or the last of all. */
export function placeOfLast(messages: readonly Message[]): number {
  const place = messages.findLastIndex(({ role }) => role === 'user');
  return place < 0 ? messages.length - 1 : place;
}

/** It changes nothing and keeps nothing: any number of its turns may be under way at once. */
export function isModel({ effect, state = 'stateless' }: Agent): boolean {
  return effect === 'pure' && state === 'stateless';
}

/** The conversation that came with the request of this run, if one did. */
export class SentHistory {
  readonly #execution: Execution;
  #messages: Promise<readonly SentMessage[] | undefined> | undefined;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  messages(): Promise<readonly SentMessage[] | undefined> {
    this.#messages ??= this.#load();
    return this.#messages;
  }

  async #load(): Promise<readonly SentMessage[] | undefined> {
    const { history } = this.#execution.tree.started ?? {};
    return history && loadHistory(this.#execution, history);
  }
}

/** A message of the person that was answered, with all that was said before it since the answer before. */
export interface SentExchange extends Exchange {
  readonly attachments: readonly Attachment[];
  readonly answered: SentMessage;
}

/** What was asked and answered. Whoever instructs says so in front of what they ask: it counts as their words. */
export function exchangesIn(messages: readonly SentMessage[]): readonly SentExchange[] {
  const exchanges: SentExchange[] = [];
  let asked: SentMessage[] = [];
  for (const message of messages) {
    if (message.role === 'tool') continue;
    if (message.role !== 'assistant') {
      asked.push(message);
      continue;
    }
    const attachments = asked.flatMap((one) => one.attachments ?? []);
    const { run = '', text: answer } = message;
    exchanges.push({ run, text: said(asked), answer, attachments, answered: message });
    asked = [];
  }
  return exchanges;
}

/** What was said since the last answer, in front of what is asked now. */
export function unanswered(messages: readonly SentMessage[]): Pick<SentExchange, 'text' | 'attachments'> {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const open = messages.slice(last + 1).filter(({ role }) => role !== 'tool');
  return { text: said(open), attachments: open.flatMap(({ attachments }) => attachments ?? []) };
}

function said(messages: readonly SentMessage[]): string {
  return messages.map(({ text }) => text).join('\n\n');
}

/** What a flow is told of it. */
function plainExchange({ run, text, answer, attachments }: SentExchange): Exchange {
  return { run, text, answer, ...present({ attachments: filled(attachments) }) };
}

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
