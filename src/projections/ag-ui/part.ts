import type { EventOf } from '../../run/events.ts';
import type { AgUiEvent } from '../../wire/ag-ui.ts';
import { calledBy } from '../called.ts';
import { cut } from '../preferences/cut.ts';
import type { ViewOptions } from '../projection.ts';
import { shortName, voiceOf, type Voice } from '../speaker.ts';
import { present } from '../../run/tree.ts';

/** What a client is told of a step: another agent, a call of a tool, or a step by its name. */
export type As = 'agent' | 'call' | 'step';

/** A step as AG-UI names it; the same whether it comes from a story or from the tree. */
export interface Part extends Voice {
  readonly as: As;
  /** The name of its attempt, unique in its thread: of its messages, its call, the agent it is. */
  readonly id: string;
  /** The nearest agent it is in, itself if it is one. */
  readonly agent: string | undefined;
  /** The nearest call it is in, itself if it is one. */
  readonly call: string | undefined;
}

/** What has been opened of what a step says. */
export interface Said {
  text: boolean;
  reasoning: boolean;
}

export interface Own extends Part {
  /** The name it was told by. */
  label: string;
  readonly said: Said;
  /** Half of a character that came in two pieces: the other one comes next. */
  readonly halves: { content: string; reasoning: string };
}

type Opening = Pick<EventOf<'step.opened'>, 'step' | 'kind' | 'attempt' | 'origin'>;

/** A run as one client is told it: clients of before 1.0 know no agents below the one they ask, and have steps of them. */
export type Told = Pick<ViewOptions, 'run' | 'options'>;

/** What such clients ask with, as `?subagents=steps`. */
export const subagents = 'subagents';

export function partOf({ run, options }: Told, opening: Opening, above: Part | undefined): Part {
  const { step, kind, attempt = 1 } = opening;
  const hasAgents = options?.[subagents] !== 'steps';
  const id = `${run}-${shortName({ id: step, attempt })}`;
  const voice = voiceOf(opening, above);
  if (above === undefined) return { as: 'step', id, agent: undefined, call: undefined, ...voice };
  const as = kind === 'agent' && hasAgents ? 'agent' : kind === 'call' ? 'call' : 'step';
  const place = { agent: as === 'agent' ? id : above.agent, call: as === 'call' ? id : above.call };
  return { as, id, ...place, ...voice };
}

/** What both a story and the tree know of a step that is open. */
export interface Shown {
  readonly part: Part;
  readonly step: {
    readonly id: number;
    readonly parent: number;
    readonly attempt: number;
    readonly title: string;
  };
  readonly opening: Pick<EventOf<'step.opened'>, 'kind' | 'title' | 'agent' | 'origin' | 'query' | 'call'>;
  /** Of the agent, or the call, that it is in. */
  readonly above: Part;
}

const longestLabel = 80;

/** Names of steps must differ while they are open, and say more than a number. */
export function labelOf(step: Shown['step']): string {
  return `${shortName(step)} ${cut(step.title.toWellFormed(), longestLabel)}`.trimEnd();
}

export function opened(shown: Shown): AgUiEvent[] {
  const { part, step, opening, above } = shown;
  switch (part.as) {
    case 'agent':
      return [
        {
          type: 'SUBAGENT_STARTED',
          subagentRunId: part.id,
          name: (calledBy(opening) ?? step.title).toWellFormed() || shortName(step),
          description: opening.query?.toWellFormed(),
          parentSubagentRunId: above.agent,
          parentToolCallId: above.call,
          metadata: placeOf(shown),
        },
      ];
    case 'step':
      return [
        {
          type: 'STEP_STARTED',
          stepName: labelOf(step),
          subagentRunId: part.agent,
          metadata: placeOf(shown),
        },
      ];
    case 'call':
      return [];
  }
}

/** What the protocol has no words for: which step it is, what it is in, and whether the run itself speaks in it. */
export function placeOf({ part, step, opening }: Omit<Shown, 'above'>): Record<string, unknown> {
  const above = step.parent === 0 ? {} : { parent: `s${step.parent}` };
  const voice = part.isInner ? { inner: true } : {};
  const { kind, agent, query } = opening;
  const asked = part.as === 'step' ? query?.toWellFormed() : undefined;
  return { step: `s${step.id}`, ...above, kind, ...present({ agent, query: asked }), ...voice };
}

/** What is open in what a step says, once it has been said or is to be said again. */
export function speaking({ part }: Pick<Shown, 'part'>, said: Said): AgUiEvent[] {
  const place = { messageId: part.id, subagentRunId: part.agent };
  return [...(said.reasoning ? reasoningStarted(part) : []), ...(said.text ? [textStarted(place)] : [])];
}

export function silenced({ part }: Pick<Shown, 'part'>, said: Said): AgUiEvent[] {
  const place = { messageId: part.id, subagentRunId: part.agent };
  return [
    ...(said.reasoning ? reasoningEnded(part) : []),
    ...(said.text ? [{ type: 'TEXT_MESSAGE_END', ...place } as const] : []),
  ];
}

function textStarted(place: { readonly messageId: string; readonly subagentRunId: string | undefined }) {
  return { type: 'TEXT_MESSAGE_START', ...place, role: 'assistant' } as const;
}

export function reasoningStarted(part: Part): AgUiEvent[] {
  const place = thoughts(part);
  return [
    { type: 'REASONING_START', ...place },
    { type: 'REASONING_MESSAGE_START', ...place, role: 'reasoning' },
  ];
}

export function reasoningEnded(part: Part): AgUiEvent[] {
  const place = thoughts(part);
  return [
    { type: 'REASONING_MESSAGE_END', ...place },
    { type: 'REASONING_END', ...place },
  ];
}

export function thoughts({ id, agent }: Part): { messageId: string; subagentRunId: string | undefined } {
  return { messageId: `${id}-reasoning`, subagentRunId: agent };
}
