import type { Call, Channel, Decision, EventOf, Outcome, Phase, StepId, Untrusted } from './events.ts';
import type { Failure } from './failure.ts';
import type { Attachment, BlobRef, Effect, Item, Json, Usage, Limits } from './values.ts';

/** What people see of a step. `pending` comes from `step.planned` alone, `waiting` from an undecided approval. */
export type StepStatus = 'pending' | 'running' | 'waiting' | Outcome;
export type RunStatus = 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'stopped';

export interface Notice {
  readonly seq: number;
  readonly step: StepId;
  readonly code: string;
  readonly message: string;
}

/** A tool call a model asks for, as far as its arguments have arrived. */
export interface RequestedCall {
  readonly id: string;
  tool: string;
  readonly pieces: string[];
}

export interface Approval extends Omit<EventOf<'approval.requested'>, 'type'> {
  readonly requestedAt: number;
  decided?: Omit<EventOf<'approval.decided'>, 'type'> & { readonly at: number; readonly seq: number };
  /** A person looked and put it off; it is still to be decided. */
  deferred?: { readonly by: string; readonly until?: number };
  /** The step ended, or was tried again, before anybody decided: it cannot be decided any more. */
  lapsedAt?: number;
  /** Why it lapsed, where its step goes on. */
  lapsedBecause?: string;
}

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly by: string;
  takenBy?: StepId;
  takenSeq?: number;
}

/** One step, changed in place. `version` moves with every change, which is all a view needs to know. */
export interface Step {
  readonly id: StepId;
  readonly parent: StepId;
  readonly key: string;
  readonly depth: number;
  kind: string;
  title: string;
  status: StepStatus;
  version: number;
  attempt: number;
  /** Whether the effect was begun: started and not closed is in doubt. */
  started: boolean;
  /** Children of the current attempt, in the order of opening; those of earlier attempts are superseded. */
  children: StepId[];
  superseded: StepId[];
  effect?: Effect;
  agent?: string;
  model?: string;
  icon?: string;
  query?: string;
  attachments?: readonly Attachment[];
  reasoning?: string;
  origin?: string;
  untrusted?: Untrusted;
  call?: Call;
  phase?: { readonly phase: Phase; readonly batch: number; readonly cycle: number };
  text: Partial<Record<Channel, string[]>>;
  requests?: Map<string, RequestedCall>;
  items: Item[];
  notices: Notice[];
  /** Approvals this step waits for. */
  undecided?: Set<string>;
  /** What its model or agent was sent: see `promptOf`. */
  prompt?: { readonly continues?: StepId; readonly blob: BlobRef };
  result?: BlobRef | Json;
  /** What its agent wants to be handed back with it. */
  state?: BlobRef | Json;
  /** The way of remembering the state was saved for. */
  strategy?: string;
  failure?: Failure;
  usage?: Usage;
  reusedFrom?: StepId;
  /** Of a wait: when it is over. */
  until?: number;
  /** The time it may work, where that is bounded, and has worked. */
  clock?: StepClock;
  openedAt?: number;
  startedAt?: number;
  closedAt?: number;
  /** The entries that opened and closed it: clocks tie, entries do not. */
  openedSeq?: number;
  closedSeq?: number;
}

/** How long a step may work, and has. What goes on below it counts; it stands still while that only waits. */
export interface StepClock {
  readonly within: number;
  worked: number;
  /** How much the run had worked when this was last brought up to date. */
  since: number;
  working: number;
  waiting: number;
}

export interface Spent {
  turns: number;
  calls: number;
  tokens: number;
  milliseconds: number;
}

/** A run as computed from its journal: one mutable value, folded in place, the same on every machine. */
export interface RunTree {
  readonly steps: Map<StepId, Step>;
  readonly open: Set<StepId>;
  readonly approvals: Map<string, Approval>;
  readonly messages: Map<string, QueuedMessage>;
  readonly states: Map<string, Omit<EventOf<'state.saved'>, 'type'> & { readonly at: number }>;
  readonly notices: Notice[];
  /** Steps that bring what others wrote. */
  readonly untrusted: StepId[];
  readonly spent: Spent;
  readonly usage: Usage;
  /** What it may use up in all. */
  limits: WholeLimits;
  seq: number;
  /** The clock of the last entry. */
  at: number;
  started?: EventOf<'run.started'>;
  startedAt?: number;
  ended?: EventOf<'run.ended'>;
  endedAt?: number;
  epoch: number;
  /** How often a run was taken over from a worker that died. */
  takeovers: number;
  paused: boolean;
  stopping: boolean;
  /** Who asked first that it be stopped, and why. */
  stop?: EventOf<'stop.requested'>;
  /** Effects under way: begun, not closed, and not waiting for a person. */
  working: number;
  /** Steps that wait for a person or a time. */
  waiting: number;
  /** Open steps whose time is bounded. */
  timed: number;
  /** Approvals somebody waits for. */
  undecided: number;
  nextStep: StepId;
}

export function emptyTree(): RunTree {
  const root = newStep({ step: 0, parent: 0, key: '', kind: 'run', title: '' }, 0);
  root.status = 'running';
  return {
    steps: new Map([[0, root]]),
    open: new Set(),
    approvals: new Map(),
    messages: new Map(),
    states: new Map(),
    notices: [],
    untrusted: [],
    spent: { turns: 0, calls: 0, tokens: 0, milliseconds: 0 },
    usage: { input: 0, output: 0 },
    limits: defaultLimits,
    seq: 0,
    at: 0,
    epoch: 0,
    takeovers: 0,
    paused: false,
    stopping: false,
    working: 0,
    waiting: 0,
    timed: 0,
    undecided: 0,
    nextStep: 1,
  };
}

type Placed = Omit<EventOf<'step.planned'>, 'type'>;

export function newStep({ step, parent, key, kind, title }: Placed, depth: number): Step {
  return {
    id: step,
    parent,
    key,
    depth,
    kind,
    title,
    status: 'pending',
    version: 1,
    attempt: 1,
    started: false,
    children: [],
    superseded: [],
    text: {},
    items: [],
    notices: [],
  };
}

export function runStatus(tree: RunTree): RunStatus {
  if (tree.ended) return tree.ended.outcome;
  if (tree.paused) return 'paused';
  // A question about the run as a whole holds up all of it, also what was under way.
  if ((tree.steps.get(0)?.undecided?.size ?? 0) > 0) return 'waiting';
  return tree.undecided > 0 && tree.working === 0 ? 'waiting' : 'running';
}

/** Whether its time counts: nobody is paid for waiting, be it for a person or for a time. */
export function isAtWork(tree: RunTree): boolean {
  return runStatus(tree) === 'running' && !isResting(tree);
}

export function textOf(step: Step, channel: Channel = 'content'): string {
  const pieces = step.text[channel];
  if (pieces === undefined) return '';
  return pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
}

export function isOpen(step: Step): boolean {
  return step.status === 'running' || step.status === 'waiting';
}

/** Every change of status goes through here, so that what is counted stays right. */
export function setStatus(tree: RunTree, step: Step, status: StepStatus): void {
  const before = paceOf(step);
  step.status = status;
  countPace(tree, step, before);
}

/** Its effect begins. */
export function setStarted(tree: RunTree, step: Step): void {
  const before = paceOf(step);
  step.started = true;
  step.startedAt = tree.at;
  countPace(tree, step, before);
}

export function touch(step: Step): void {
  step.version += 1;
}

export function stepOf(tree: RunTree, id: StepId): Step {
  const step = tree.steps.get(id);
  if (!step) throw new RangeError(`step ${id} is in an index of the tree but not in the tree`);
  return step;
}

/** The approvals of a run that wait for a decision, oldest first. */
export function undecidedApprovals(tree: RunTree): Approval[] {
  return [...tree.approvals.values()].filter(({ decided, lapsedAt }) => !decided && lapsedAt === undefined);
}

/** A final decision settles an approval; to defer only puts it off. */
export function isFinal(decision: Decision): boolean {
  return decision !== 'defer';
}

/** What a step does with its time: an effect is under way, or it waits for a person or a time, or neither. */
export type Pace = 'working' | 'waiting' | undefined;

export function paceOf({ status, started, until }: Pick<Step, 'status' | 'started' | 'until'>): Pace {
  if (status === 'waiting') return 'waiting';
  if (status !== 'running') return undefined;
  return started ? 'working' : until === undefined ? undefined : 'waiting';
}

/** A step does something else with its time now: the run, and all above it whose time is bounded, are told. */
function countPace(tree: RunTree, step: Step, before: Pace): void {
  const after = paceOf(step);
  if (before === after) return;
  recount(tree, before, after);
  if (tree.timed === 0) return;
  for (let at: Step | undefined = step; at && at.id !== 0; at = tree.steps.get(at.parent)) {
    if (!at.clock) continue;
    at.clock.worked = workedBy(tree, at.clock);
    at.clock.since = tree.spent.milliseconds;
    recount(at.clock, before, after);
  }
}

type Counts = Pick<StepClock, 'working' | 'waiting'>;

function recount(counts: Counts, before: Pace, after: Pace): void {
  if (before !== undefined) counts[before] -= 1;
  if (after !== undefined) counts[after] += 1;
}

/** Whether nothing goes on, and something waits. */
export function isResting({ working, waiting }: Counts): boolean {
  return waiting > 0 && working === 0;
}

/** How long a step with a clock had worked when the last entry was written. Milliseconds. */
export function workedBy(tree: Pick<RunTree, 'spent'>, clock: StepClock): number {
  return clock.worked + (isResting(clock) ? 0 : tree.spent.milliseconds - clock.since);
}

export type WholeLimits = { readonly [Name in keyof Limits]-?: number };

/** What a run may use up if nobody says otherwise. */
export const defaultLimits = {
  turns: 30,
  calls: 60,
  tokens: 1_000_000,
  depth: 12,
  seconds: 3_600,
  entries: 2_000_000,
  bytes: 256_000_000,
} as const;

/** What is wanted, and of nothing more than is allowed; what nobody wants is as it is allowed. */
export function atMost(allowed: Limits, wanted: Limits): Limits {
  return Object.fromEntries(
    Object.keys(defaultLimits).flatMap((each) => {
      const name = each as keyof Limits;
      const [most = Infinity, asked = Infinity] = [allowed[name], wanted[name]];
      const chosen = Math.min(most, asked);
      return chosen === Infinity ? [] : [[name, chosen]];
    }),
  );
}

/** What a run may use up, where only some of it is said. */
export function wholeLimits({ turns, calls, tokens, depth, seconds, entries, bytes }: Limits): WholeLimits {
  return {
    turns: turns ?? defaultLimits.turns,
    calls: calls ?? defaultLimits.calls,
    tokens: tokens ?? defaultLimits.tokens,
    depth: depth ?? defaultLimits.depth,
    seconds: seconds ?? defaultLimits.seconds,
    entries: entries ?? defaultLimits.entries,
    bytes: bytes ?? defaultLimits.bytes,
  };
}

/** How long a run may still work; below zero when it has worked for too long. Only time in which it works counts. */
export function millisecondsLeft(tree: RunTree, now: number): number {
  return tree.limits.seconds * 1_000 - tree.spent.milliseconds - sinceLast(tree, now);
}

/** The same of a step whose time is bounded; undefined where it is not. What it waits for does not count. */
export function millisecondsLeftIn(tree: RunTree, { clock }: Step, now: number): number | undefined {
  if (!clock) return undefined;
  return clock.within - workedBy(tree, clock) - (isResting(clock) ? 0 : sinceLast(tree, now));
}

function sinceLast(tree: RunTree, now: number): number {
  return isAtWork(tree) ? Math.max(0, now - tree.at) : 0;
}

/** About how many tokens this many characters are, where nobody counted them. */
export function tokensIn(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Without the fields that have nothing in them, so that JSON and comparison see only what is there. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value as Exclude<T[typeof name], undefined>;
  }
  return kept;
}

/** A text or list, if there is anything in it. */
export function filled<T extends { readonly length: number }>(value: T): T | undefined {
  return value.length > 0 ? value : undefined;
}
