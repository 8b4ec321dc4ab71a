import { keepState, StateStrategy } from '../../catalog/state.ts';
import { holdersIn, type LeftState, statesIn } from '../../run/combined-state.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Execution } from '../execution.ts';
import { exchangesIn, type SentExchange } from './conversation.ts';
import type { StepId } from '../../run/events.ts';
import type { Attachment, BlobRef, Json } from '../../run/values.ts';
import { type RunTree, type Step, textOf } from '../../run/tree.ts';
import { type Source, untrustedIn } from '../../run/untrusted.ts';
import { lastEdit } from '../leaf/leaf.ts';

type Read = (row: RunRow) => Promise<Traces | undefined>;

/** What agents left in a conversation that came with the request: in runs its answers name, or in states it carries. */
export class SentTraces {
  readonly #execution: Execution;
  #traces: Promise<readonly Traces[]> | undefined;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  async isThere(): Promise<boolean> {
    return (await this.#execution.sent.messages()) !== undefined;
  }

  /** The runs that are named in it: whatever they read, this one has read. */
  async runs(): Promise<readonly RunRow[]> {
    const rows: RunRow[] = [];
    for (const { run } of (await this.#execution.sent.messages()) ?? []) {
      const row = run === undefined ? undefined : await this.#row(run);
      if (row) rows.push(row);
    }
    return rows;
  }

  /** One for each exchange that says something of agents, oldest first; its place is its time. */
  traces(read: Read): Promise<readonly Traces[]> {
    this.#traces ??= this.#all(read);
    return this.#traces;
  }

  async #all(read: Read): Promise<readonly Traces[]> {
    const found: Traces[] = [];
    let before: readonly LeftState[] = [];
    for (const exchange of exchangesIn((await this.#execution.sent.messages()) ?? [])) {
      const { run, state } = exchange.answered;
      const row = run === undefined ? undefined : await this.#row(run);
      const kept = row && (await read(row));
      const at = found.length + 1;
      if (kept) found.push(tracesAt(kept, at));
      else if (state !== undefined) {
        const left = this.#checked(statesIn(state, this.#agents(), holdersIn(state)));
        found.push(carried(exchange, { left, before, at }));
        before = left;
      }
    }
    return found;
  }

  async #row(run: string): Promise<RunRow | undefined> {
    const row = await this.#execution.world.store.dispatch.get(run);
    return row?.tenant === this.#execution.tree.started?.tenant ? row : undefined;
  }

  #agents(): readonly Pick<LeftState, 'agent' | 'strategy'>[] {
    return this.#execution.world.catalog.agents.map(({ name: agent, state: strategy = 'stateless' }) => ({
      agent,
      strategy,
    }));
  }

  /** What a client carries is checked like what an agent reports. */
  #checked(states: readonly LeftState[]): readonly LeftState[] {
    return states.flatMap((each) => {
      const strategy = StateStrategy.safeParse(each.strategy).data;
      if (strategy === undefined) return [each];
      const checked = keepState(strategy, each.state, this.#keepsOf(each.agent));
      if ('state' in checked) return [{ ...each, state: checked.state }];
      this.#refuse(`The state of ${each.agent} in the conversation was not used: ${checked.problem}.`);
      return [];
    });
  }

  #keepsOf(agent: string): Parameters<typeof keepState>[2] {
    return this.#execution.world.catalog.agents.find(({ name }) => name === agent)?.keeps;
  }

  #refuse(message: string): void {
    const { tree } = this.#execution;
    if (tree.notices.some((notice) => notice.message === message)) return;
    this.#execution.emit({ type: 'notice.posted', step: 0, code: 'STATE_REFUSED', message });
  }
}

interface Carrying {
  readonly left: readonly LeftState[];
  /** What the answer before carried: what is the same there was only carried on. */
  readonly before: readonly LeftState[];
  readonly at: number;
}

function carried(exchange: SentExchange, { left, before, at }: Carrying): Traces {
  const states = new Map<string, Saved>(
    left.map(({ agent, strategy, state }) => [agent, { state, strategy, at }]),
  );
  const turns = left
    .filter((each) => !before.some((other) => isSame(each, other)))
    .map((each) => turnOf(exchange, each, at));
  return { run: '', states, turns, begun: [], untrusted: [] };
}

function turnOf(
  { text, answer, attachments }: SentExchange,
  { agent, state, strategy }: LeftState,
  at: number,
): Turn {
  return { agent, at, asked: text, answered: () => answer, attachments, state, strategy, isOver: true };
}

function isSame(one: LeftState, other: LeftState): boolean {
  return one.agent === other.agent && JSON.stringify(one.state) === JSON.stringify(other.state);
}

/** What agents left in a run, or in an exchange that a client sent. */
export interface Traces {
  readonly run: string;
  readonly states: ReadonlyMap<string, Saved>;
  readonly turns: readonly Turn[];
  readonly begun: readonly (BegunTurn & { readonly agent: string | undefined })[];
  readonly untrusted: readonly Source[];
}

export interface Saved {
  readonly state: BlobRef | Json;
  readonly strategy: string;
  readonly at: number;
}

export interface Turn {
  readonly agent: string | undefined;
  /** When it ended, without an end while it is open; or, of a run that took another's place, when that one did. */
  readonly at: number;
  readonly asked: BlobRef | Json;
  readonly answered: () => string;
  readonly attachments: readonly Attachment[];
  readonly state?: BlobRef | Json | undefined;
  readonly strategy?: string | undefined;
  /** It came to its end, and something came of it. */
  readonly isOver: boolean;
  readonly step?: Step;
}

/** A turn that was begun, whatever became of it. */
export interface BegunTurn {
  readonly run: string;
  readonly step: StepId;
  readonly attempt: number;
  /** The entry that closed it; undefined while it is under way. */
  readonly closed: number | undefined;
}

export function tracesIn(run: string, tree: RunTree): Traces {
  const turns = [...tree.steps.values()].flatMap((step): Turn[] => {
    const { kind, started, query, attachments, agent, state, strategy } = step;
    const isAsked = query !== undefined || attachments !== undefined;
    if (kind !== 'turn' || !started || !isAsked) return [];
    const asked = lastEdit(tree, step.id) ?? query ?? '';
    const at = step.closedAt ?? Infinity;
    const said = { asked, answered: () => textOf(step), attachments: attachments ?? [] };
    return [{ agent, at, ...said, state, strategy, isOver: isOver(step), step }];
  });
  const begun = [...tree.steps.values()]
    .filter(({ kind, started }) => kind === 'turn' && started)
    .map(({ id: step, attempt, agent, closedSeq: closed }) => ({ run, step, attempt, agent, closed }));
  return { run, states: tree.states, turns, begun, untrusted: untrustedIn(tree) };
}

/** The same, as if all of it had been left at one time. */
export function tracesAt(traces: Traces, at: number): Traces {
  const states = [...traces.states].map(([name, saved]) => [name, { ...saved, at }] as const);
  return { ...traces, states: new Map(states), turns: traces.turns.map((turn) => ({ ...turn, at })) };
}

/** It came to its end, and something came of it. */
function isOver(step: Step): boolean {
  return step.status === 'completed' && (textOf(step) !== '' || step.state !== undefined);
}
