import type { Call, EventOf, StepId } from '../../run/events.ts';
import { emptyMap, valueAt, withoutValue, withValue, type StepMap } from '../preferences/step-map.ts';

/** A phase in force: its number among the phases of the run, from 0, and what it says of itself. */
export interface TracedPhase {
  readonly phase: EventOf<'phase.entered'>['phase'];
  readonly batch: number;
  readonly cycle: number;
  readonly index: number;
}

/** What must be known of a step until it is closed. */
export interface TracedStep {
  readonly kind: string;
  readonly title: string;
  readonly openedAt: number;
  readonly attempt: number;
  /** Whether anything was asked of anybody: what is blocked, refused or does not fit never begins. */
  readonly isBegun: boolean;
  readonly phase?: TracedPhase;
  readonly call?: Call;
  readonly agent?: string;
  readonly model?: string;
  readonly query?: string;
  /** The beginning of what it said. */
  readonly text: string;
  readonly isCut: boolean;
  /** Calls a model asked for, by its own ids. */
  readonly requested: Readonly<Record<string, string>>;
}

export interface TraceState {
  readonly projectId: string;
  readonly requestId: string;
  readonly open: StepMap<TracedStep>;
  /** Phases that were entered and not left, by the step that entered them. */
  readonly phases: ReadonlyMap<StepId, TracedPhase>;
  /** When calls ended, for those that use their outcome again. */
  readonly ended: StepMap<number>;
  readonly nextPhase: number;
}

export const previewLength = 1_200;

export function emptyState(run: string): TraceState {
  return {
    projectId: '',
    requestId: run,
    open: emptyMap(),
    phases: new Map(),
    ended: emptyMap(),
    nextPhase: 0,
  };
}

export function opened(state: TraceState, event: EventOf<'step.opened'>, at: number): TraceState {
  const { kind, title, call, agent, model, query, attempt = 1 } = event;
  const phase = valueAt(state.open, event.parent)?.phase;
  const step: TracedStep = {
    kind,
    title,
    openedAt: at,
    attempt,
    isBegun: event.started ?? false,
    ...(phase ? { phase } : {}),
    ...(call ? { call } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(query === undefined ? {} : { query }),
    text: '',
    isCut: false,
    requested: {},
  };
  return { ...state, open: withValue(state.open, event.step, step) };
}

/** Only the beginning is kept, so a long text costs as much as a short one. */
export function said(state: TraceState, event: EventOf<'text.appended'>): TraceState {
  const step = valueAt(state.open, event.step);
  if (step?.kind !== 'turn' || event.channel === 'log' || event.channel === 'reasoning') return state;
  if (event.channel === 'arguments') {
    const { call = '', tool = '' } = event;
    if (tool === '' || step.requested[call] === tool) return state;
    const requested = { ...step.requested, [call]: tool };
    return { ...state, open: withValue(state.open, event.step, { ...step, requested }) };
  }
  if (step.isCut) return state;
  const text = step.text + event.text;
  const isCut = text.length > previewLength;
  const kept = { ...step, text: text.slice(0, previewLength).toWellFormed(), isCut };
  return { ...state, open: withValue(state.open, event.step, kept) };
}

export function begun(state: TraceState, { step: id, call }: EventOf<'step.started'>): TraceState {
  const step = valueAt(state.open, id);
  if (!step) return state;
  return { ...state, open: withValue(state.open, id, { ...step, isBegun: true, ...(call ? { call } : {}) }) };
}

export function retried(
  state: TraceState,
  { step: id, attempt, model, call }: EventOf<'step.retried'>,
): TraceState {
  const step = valueAt(state.open, id);
  if (!step) return state;
  const changed = { ...(model === undefined ? {} : { model }), ...(call ? { call } : {}) };
  const again = { ...step, ...changed, attempt, isBegun: true, text: '', isCut: false, requested: {} };
  return { ...state, open: withValue(state.open, id, again) };
}

export function closed(state: TraceState, { step: id }: EventOf<'step.closed'>, at: number): TraceState {
  const step = valueAt(state.open, id);
  if (!step) return state;
  return {
    ...state,
    open: withoutValue(state.open, id),
    ended: step.call ? withValue(state.ended, id, at) : state.ended,
  };
}

export function entered(state: TraceState, event: EventOf<'phase.entered'>): TraceState {
  const { step: id, phase, batch, cycle } = event;
  const isOver = phase === 'complete';
  const placed: TracedPhase = { phase, batch, cycle, index: isOver ? state.nextPhase - 1 : state.nextPhase };
  const phases = new Map(state.phases);
  if (isOver) phases.delete(id);
  else phases.set(id, placed);
  const step = valueAt(state.open, id);
  const open = step && !isOver ? withValue(state.open, id, { ...step, phase: placed }) : state.open;
  return { ...state, open, phases, nextPhase: isOver ? state.nextPhase : state.nextPhase + 1 };
}

export function left(state: TraceState, id: StepId): TraceState {
  if (!state.phases.has(id)) return state;
  const phases = new Map(state.phases);
  phases.delete(id);
  return { ...state, phases };
}
