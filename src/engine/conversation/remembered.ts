import { factName } from '../../run/combined-state.ts';
import type { StepId } from '../../run/events.ts';
import { failureOf } from '../../run/failure.ts';
import { isBlobRef, type Attachment, type BlobRef, type Json } from '../../run/values.ts';
import type { Step } from '../../run/tree.ts';
import type { Source } from '../../run/untrusted.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Execution } from '../execution.ts';
import { beforePlaceOf, firstInPlace, holdingPlaces } from './places.ts';
import { loadRun } from '../recovery/load.ts';
import {
  type BegunTurn,
  type Saved,
  SentTraces,
  type Traces,
  tracesAt,
  tracesIn,
  type Turn,
} from './sent-traces.ts';

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

/** One turn, which may not be opened yet. */
interface LastBut {
  readonly run: string;
  readonly step: StepId | undefined;
}

export interface LastAsked extends Pick<AgentExchange, 'asked' | 'answered'> {
  /** Absent where only the client knows of it. */
  readonly step?: Step;
}

/** How far the clocks of workers and of the store may be apart, in milliseconds. */
const slack = 60_000;

/**
 * What agents left in all runs of a conversation, those at work included. It is read afresh for every turn, and whoever
 * reads has the agent's place in line: nobody changes it meanwhile, so a retried turn reads the same.
 */
export class Remembered {
  readonly #execution: Execution;
  readonly #sent: SentTraces;
  readonly #final = new Map<string, Traces>();
  /** When the place of a run that took another's was first left. */
  readonly #since = new Map<string, number>();

  constructor(execution: Execution) {
    this.#execution = execution;
    this.#sent = new SentTraces(execution);
  }

  /** What was saved last under a name, wherever that was: runs overlap, so the newest run need not have it. */
  async latest(name: string): Promise<SavedState | undefined> {
    let last: Saved | undefined;
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
      const own = turns.filter((turn) => turn.agent === agent && turn.isOver).toReversed();
      found = [...found, ...own].toSorted((a, b) => b.at - a.at).slice(0, most);
    }
    const exchanges: AgentExchange[] = [];
    for (const { asked, answered, attachments, state: left, strategy } of found.toReversed()) {
      const text = await this.#load(asked);
      const state = left === undefined ? undefined : await this.#load(left);
      exchanges.push({
        asked: wordsOf(text),
        answered: answered(),
        attachments,
        state,
        strategy,
      });
    }
    return exchanges;
  }

  /** What an agent was asked last, but for one of its turns, whatever became of it. */
  async last(agent: string, { run, step: except }: LastBut): Promise<LastAsked | undefined> {
    let last: Turn | undefined;
    for await (const { turns, run: of } of this.#traces(() => last?.at))
      for (const turn of turns.toReversed()) {
        if (turn.agent !== agent || (of === run && turn.step?.id === except)) continue;
        if (!last || turn.at > last.at) last = turn;
      }
    if (!last) return undefined;
    const { step, answered } = last;
    return { asked: wordsOf(await this.#load(last.asked)), answered: answered(), step };
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
    for (const row of [...(await this.#rows()), ...(await this.#sent.runs())]) {
      const { untrusted = [] } = (await this.#read(row)) ?? {};
      sources.push(...untrusted.map((source) => ({ ...source, run: row.run })));
    }
    return sources;
  }

  /** This run, then the others by their last change, until none can hold anything newer than what was found. */
  async *#traces(found: () => number | undefined, given?: readonly RunRow[]): AsyncIterable<Traces> {
    yield tracesIn(this.#execution.run, this.#execution.tree);
    if (given === undefined && (await this.#sent.isThere())) {
      yield* this.#sentTraces(found);
      return;
    }
    const rows = given ?? (await this.#counted());
    for (const row of rows.toSorted((a, b) => b.updatedAt - a.updatedAt)) {
      const enough = found();
      if (enough !== undefined && row.updatedAt + slack < enough) return;
      const traces = await this.#read(row);
      if (traces) yield this.#placed(traces, row);
    }
  }

  /** What the client sent, the newest first; where that says nothing of agents, what is kept under its id of the conversation. */
  async *#sentTraces(found: () => number | undefined): AsyncIterable<Traces> {
    const traces = await this.#sent.traces((row) => this.#read(row));
    if (traces.length === 0) {
      for (const row of await this.#counted()) {
        const kept = await this.#read(row);
        // What was said is what the client says.
        if (kept) yield { ...kept, turns: [] };
      }
      return;
    }
    for (const [i, each] of traces.toReversed().entries()) {
      const enough = found();
      if (enough !== undefined && enough >= traces.length - i) return;
      yield each;
    }
  }

  /** What a run left that took another's place counts from when that one ended, before what was said since. */
  #placed(traces: Traces, row: RunRow): Traces {
    const at = this.#since.get(row.run);
    if (at === undefined) return traces;
    return tracesAt(traces, at);
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

function wordsOf(asked: Json | undefined): string {
  return typeof asked === 'string' ? asked : JSON.stringify(asked ?? '');
}
