import { factName } from '../../catalog/state.ts';
import type { StepId } from '../../run/events.ts';
import { failureOf } from '../../run/failure.ts';
import { isBlobRef, type Attachment, type BlobRef, type Json } from '../../run/values.ts';
import { textOf, type RunTree, type Step } from '../../run/tree.ts';
import { untrustedIn, type Source } from '../../run/untrusted.ts';
import type { RunRow } from '../../stores/store.ts';
import { lastEdit } from '../leaf/leaf.ts';
import type { Execution } from '../execution.ts';
import { beforePlaceOf, firstInPlace, holdingPlaces } from './places.ts';
import { loadRun } from '../recovery/load.ts';

/** One turn of an agent that came to its end, in this run or another of the conversation. */
export interface AgentExchange {
  readonly asked: string;
  readonly answered: string;
  /** As they were recorded: what is large is a reference. */
  readonly attachments: readonly Attachment[];
  readonly state?: Json;
  /** The way of remembering the state was saved for. */
  readonly strategy?: string;
}

export interface SavedState {
  readonly state: Json;
  readonly strategy: string;
}

/** A turn that was begun, whatever became of it. */
export interface BegunTurn {
  readonly run: string;
  readonly step: StepId;
  readonly attempt: number;
  /** The entry that closed it; undefined while it is under way. */
  readonly closed: number | undefined;
}

/** One turn, which may not be opened yet. */
interface LastBut {
  readonly run: string;
  readonly step: StepId | undefined;
}

export interface LastAsked extends Pick<AgentExchange, 'asked' | 'answered'> {
  readonly step: Step;
}

type Traces = Pick<RunTree, 'states'> & {
  readonly run: string;
  readonly turns: readonly Turn[];
  readonly begun: readonly (BegunTurn & { readonly agent: string | undefined })[];
  readonly untrusted: readonly Source[];
};

interface Turn {
  readonly step: Step;
  /** When it ended, without an end while it is open; or, of a run that took another's place, when that one did. */
  readonly at: number;
  readonly asked: BlobRef | Json;
}

/** How far the clocks of workers and of the store may be apart, in milliseconds. */
const slack = 60_000;

/**
 * What agents left in all runs of a conversation, those at work included. It is read afresh for every turn, and whoever
 * reads has the agent's place in line: nobody changes it meanwhile, so a retried turn reads the same.
 */
export class Remembered {
  readonly #execution: Execution;
  readonly #final = new Map<string, Traces>();
  /** When the place of a run that took another's was first left. */
  readonly #since = new Map<string, number>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** What was saved last under a name, wherever that was: runs overlap, so the newest run need not have it. */
  async latest(name: string): Promise<SavedState | undefined> {
    let last: ReturnType<Traces['states']['get']>;
    for await (const { states } of this.#traces(() => last?.at)) {
      const saved = states.get(name);
      if (saved && saved.at > (last?.at ?? -1)) last = saved;
    }
    const state = last && (await this.#load(last.state));
    return last && state !== undefined ? { state, strategy: last.strategy } : undefined;
  }

  /** The newest exchanges of an agent, oldest first. What nothing was said in is none. */
  async exchanges(agent: string, most: number): Promise<readonly AgentExchange[]> {
    let found: Turn[] = [];
    const oldest = (): number | undefined => (found.length < most ? undefined : found.at(-1)?.at);
    for await (const { turns } of this.#traces(oldest)) {
      const own = turns.filter(({ step }) => step.agent === agent && isOver(step)).toReversed();
      found = [...found, ...own].toSorted((a, b) => b.at - a.at).slice(0, most);
    }
    const exchanges: AgentExchange[] = [];
    for (const { step, asked } of found.toReversed()) {
      const text = await this.#load(asked);
      const state = step.state === undefined ? undefined : await this.#load(step.state);
      exchanges.push({
        asked: wordsOf(text),
        answered: textOf(step),
        attachments: step.attachments ?? [],
        state,
        strategy: step.strategy,
      });
    }
    return exchanges;
  }

  /** What an agent was asked last, but for one of its turns, whatever became of it. */
  async last(agent: string, { run, step: except }: LastBut): Promise<LastAsked | undefined> {
    let last: Turn | undefined;
    for await (const { turns, run: of } of this.#traces(() => last?.at))
      for (const turn of turns.toReversed()) {
        if (turn.step.agent !== agent || (of === run && turn.step.id === except)) continue;
        if (!last || turn.at > last.at) last = turn;
      }
    if (!last) return undefined;
    const { step } = last;
    return { step, asked: wordsOf(await this.#load(last.asked)), answered: textOf(step) };
  }

  /** Every turn of an agent in the conversation that was begun. */
  async begun(agent: string): Promise<readonly BegunTurn[]> {
    const found: BegunTurn[] = [];
    for await (const { begun } of this.#traces(() => undefined, await this.#rows()))
      found.push(...begun.filter((turn) => turn.agent === agent));
    return found;
  }

  /** Facts that agents of this conversation shared, by name; those nobody shared are left out. */
  async facts(names: readonly string[]): Promise<Record<string, Json>> {
    const facts: [string, Json][] = [];
    for (const name of names) {
      const kept = (await this.latest(factName(name)))?.state;
      if (typeof kept === 'object' && kept !== null && 'fact' in kept) facts.push([name, kept['fact']]);
    }
    return Object.fromEntries(facts);
  }

  /** An attachment with its content, as far as that is still there. */
  async whole({ blob, ...attachment }: Attachment): Promise<Attachment> {
    const data = blob && (await this.#load(blob));
    return typeof data === 'string' ? { ...attachment, data } : attachment;
  }

  /** What others wrote and the other runs have read. */
  async untrusted(): Promise<readonly Source[]> {
    const sources: Source[] = [];
    for (const row of await this.#rows()) {
      const { untrusted = [] } = (await this.#read(row)) ?? {};
      sources.push(...untrusted.map((source) => ({ ...source, run: row.run })));
    }
    return sources;
  }

  /** This run, then the others by their last change, until none can hold anything newer than what was found. */
  async *#traces(found: () => number | undefined, given?: readonly RunRow[]): AsyncIterable<Traces> {
    yield tracesIn(this.#execution.run, this.#execution.tree);
    const rows = given ?? (await this.#counted());
    for (const row of rows.toSorted((a, b) => b.updatedAt - a.updatedAt)) {
      const enough = found();
      if (enough !== undefined && row.updatedAt + slack < enough) return;
      const traces = await this.#read(row);
      if (traces) yield this.#placed(traces, row);
    }
  }

  /** What a run left that took another's place counts from when that one ended, before what was said since. */
  #placed(traces: Traces, row: RunRow): Traces {
    const at = this.#since.get(row.run);
    if (at === undefined) return traces;
    const states = [...traces.states].map(([name, saved]) => [name, { ...saved, at }] as const);
    return { ...traces, states: new Map(states), turns: traces.turns.map((turn) => ({ ...turn, at })) };
  }

  /** Those that hold their places, the newest first; for a run that takes another's, those before that one. */
  async #counted(): Promise<readonly RunRow[]> {
    const rows = await this.#rows();
    const { replaces } = this.#execution.tree.started ?? {};
    for (const row of rows) {
      const first = firstInPlace(rows, row);
      if (first !== row) this.#since.set(row.run, first.updatedAt);
    }
    return holdingPlaces(replaces === undefined ? rows : beforePlaceOf(rows, replaces)).toReversed();
  }

  async #rows(): Promise<readonly RunRow[]> {
    const { tree, run: own, world } = this.#execution;
    if (!tree.started) return [];
    const { tenant, conversation } = tree.started;
    const rows: RunRow[] = [];
    for (let after: string | undefined; ;) {
      const page = await world.store.dispatch.list({ tenant, conversation, after }).catch(turnedBack);
      if (page === undefined) return this.#rows();
      rows.push(...page.filter(({ run }) => run !== own));
      after = page.at(-1)?.run;
      if (after === undefined) return rows;
    }
  }

  async #read(row: RunRow): Promise<Traces | undefined> {
    const { run, state } = row;
    const known = this.#final.get(run);
    if (known) return known;
    const { journal, dispatch } = this.#execution.world.store;
    try {
      const traces = tracesIn(run, (await loadRun(journal, row)).tree);
      if (state === 'ended') this.#final.set(run, traces);
      return traces;
    } catch (thrown) {
      // Damaged, or erased since it was listed: what nobody can read any more is not part of the conversation.
      if (failureOf(thrown).code === 'damaged' || (await dispatch.get(run)) === undefined) return undefined;
      throw thrown;
    }
  }

  /** Undefined for what was erased since. */
  async #load(value: BlobRef | Json): Promise<Json | undefined> {
    if (!isBlobRef(value)) return structuredClone(value);
    const { tree, world } = this.#execution;
    const text = await world.store.blobs.get(tree.started?.tenant ?? '', value.blob);
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  }
}

/** The last run of a page was erased before the next page was asked for: the list has to be read anew. */
function turnedBack(thrown: unknown): undefined {
  if (failureOf(thrown).code !== 'unknown') throw thrown;
}

function tracesIn(run: string, tree: RunTree): Traces {
  const turns = [...tree.steps.values()].flatMap((step): Turn[] => {
    const { kind, started, query, attachments } = step;
    const isAsked = query !== undefined || attachments !== undefined;
    if (kind !== 'turn' || !started || !isAsked) return [];
    return [{ step, at: step.closedAt ?? Infinity, asked: lastEdit(tree, step.id) ?? query ?? '' }];
  });
  const begun = [...tree.steps.values()]
    .filter(({ kind, started }) => kind === 'turn' && started)
    .map(({ id: step, attempt, agent, closedSeq: closed }) => ({ run, step, attempt, agent, closed }));
  return { run, states: tree.states, turns, begun, untrusted: untrustedIn(tree) };
}

/** It came to its end, and something came of it. */
function isOver(step: Step): boolean {
  return step.status === 'completed' && (textOf(step) !== '' || step.state !== undefined);
}

function wordsOf(asked: Json | undefined): string {
  return typeof asked === 'string' ? asked : JSON.stringify(asked ?? '');
}
