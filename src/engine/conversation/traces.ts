import type { StepId } from '../../run/events.ts';
import type { Attachment, BlobRef, Json } from '../../run/values.ts';
import { textOf, type RunTree, type Step } from '../../run/tree.ts';
import { untrustedIn, type Source } from '../../run/untrusted.ts';
import { lastEdit } from '../leaf/leaf.ts';

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
