import type { Deciders } from '../run/deciders.ts';
import type { z } from 'zod';
import type { AgentEvent, AgentQuestion, Message, ToolOffer } from '../gateways/gateway.ts';
import type { Decision, EventOf } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import type { Attachment, Item, Json, Limits, Usage } from '../run/values.ts';
import type { TypedTool } from '../tools/tool.ts';

/** What a run does: a plain async function. Every effect goes through the scope; between its calls nothing is random. */
export interface Flow {
  readonly name: string;
  /** A run goes on with the version it started with. Raise it when recorded runs would not fit the code any more. */
  readonly version: string;
  /** What the settings of its apps may be: checked when an app is defined. */
  readonly settings?: z.ZodType<object>;
  /** Fails, with what to do about it, where a run cannot begin with this. Nothing is kept of such a run. */
  check?(input: Beginning): void;
  run(scope: Scope, input: RunInput): Promise<string>;
}

/** What a run is to begin with. */
export interface Beginning extends Pick<RunInput, 'labels'>, Partial<Pick<RunInput, 'text' | 'data'>> {
  readonly definition?: Json | undefined;
}

export interface RunInput {
  readonly text: string;
  /** What a program gave beside words. */
  readonly data?: Json | undefined;
  readonly attachments: readonly Attachment[];
  readonly app: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface StepOptions {
  /** Unique within its parent. Without one, steps are counted, and only one may be under way at a time. */
  readonly key?: string;
  readonly title?: string;
  readonly kind?: string;
  readonly icon?: string;
  readonly agent?: string;
  readonly query?: string;
  readonly reasoning?: string;
  /** Milliseconds it may work, with all below it: then it is ended and fails as timed out. To wait is not to work. */
  readonly within?: number;
}

export interface TurnRequest {
  readonly messages: readonly Message[];
  /** None of them, where the flow had taken them away: then it tells of calls itself. */
  readonly tools?: readonly ToolOffer[];
  readonly toolChoice?: 'auto' | 'none' | 'required';
  readonly answerSchema?: Json;
  readonly key?: string;
  readonly title?: string;
  /** The turn that writes the final answer may use the turn that is kept back for it. */
  readonly answers?: boolean;
  /** Stop reading when this many calls are complete: the back end's stream is closed there. */
  readonly maxCalls?: number;
  /** Milliseconds it may work. */
  readonly within?: number;
}

/** An agent, or its name. */
export type Called = string | { readonly name: string };

/** A turn that is asked for JSON. */
export interface SchemaTurn<Schema extends z.ZodType> extends Pick<TurnRequest, 'key' | 'title' | 'answers'> {
  readonly schema: Schema;
  /** What it is sent before the text: instructions, and what was said earlier. */
  readonly before?: readonly Message[];
}

export interface RequestedCall {
  readonly id: string;
  readonly tool: string;
  /** The text the model wrote, which need not be JSON. */
  readonly arguments: string;
}

export interface TurnResult {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly RequestedCall[];
  readonly finish: Extract<AgentEvent, { type: 'turn.finished' }>['reason'] | 'cut' | 'budget';
  /** What it attached to its answer. */
  readonly items: readonly Item[];
  /** What it asks people before it goes on. */
  readonly questions?: readonly AgentQuestion[];
  /** Where nobody knows whether it happened and a person decided that it did: what that person said of it. */
  readonly takenAsDone?: string;
  readonly usage?: Usage;
}

/** Why a call is shown and not run: the code of a notice, and its sentence. */
export interface Refusal {
  readonly code: string;
  readonly reason: string;
}

export interface CallOptions {
  readonly key?: string;
  /** The model's own id for the call. */
  readonly id?: string;
  readonly title?: string;
  /** Do not run it: its step opens and closes as skipped, with this notice. */
  readonly refusal?: Refusal;
  /** The same call again is meant, and no duplicate: a poll, or a second one of its kind. */
  readonly again?: boolean;
  /** Milliseconds it may work. What happens once and is cut off there is in doubt. */
  readonly within?: number;
}

interface Reused {
  readonly outcome: 'reused';
  /** The step whose outcome it is; absent if an earlier run of the conversation had it. */
  readonly from?: number;
  readonly step: number;
}

/** How a call ended. A failure is a value: a model has to read it. What is reused may be a failure too. */
export type CallResult<Result = Json> =
  | { readonly outcome: 'completed'; readonly result: Result; readonly step: number }
  | (Reused & { readonly result: Result })
  | (Reused & { readonly result: Result; readonly failure: Failure })
  | { readonly outcome: 'failed' | 'skipped'; readonly failure: Failure; readonly step: number };

export interface Question {
  readonly key?: string;
  readonly title: string;
  readonly message?: string;
  /** JSON schema of what the person is to fill in. */
  readonly schema?: Json;
  /** What the person is asked to agree to, exactly. */
  readonly arguments?: Json;
  /** JSON schema of what they may make of it, where they may edit it. */
  readonly editSchema?: Json;
  /** What they may have done again, by name: an edit whose answer is `{"redo": …}`. */
  readonly redo?: readonly string[];
  readonly priority?: EventOf<'approval.requested'>['priority'];
  readonly allowed?: readonly Decision[];
  /** Milliseconds until it expires. */
  readonly expiresIn?: number;
  /** Once nobody needs the answer any more, and why: it lapses, and to ask fails as refused. A decision that came first counts. */
  readonly unless?: Promise<string> | undefined;
}

/** A wait for a time. */
export interface Wait {
  readonly key?: string;
  readonly title?: string;
  /** Milliseconds since 1970, by the store's clock. */
  readonly until: number;
}

/** A definition, by its name; the newest that is published, unless a version is named. */
export interface Looked {
  readonly key?: string;
  readonly kind: string;
  readonly name: string;
  readonly version?: number | undefined;
}

export interface Fan {
  /** How many branches work at a time; the others are shown as planned. All, unless it is said. */
  readonly atOnce?: number;
}

export interface Answer {
  readonly decision: Decision;
  readonly by: string;
  readonly rationale?: string;
  readonly answer?: Json;
  /** After `edit`: what the person wants instead. */
  readonly arguments?: Json;
}

/** What was asked and answered in an earlier run of a conversation. */
export interface Exchange {
  readonly run: string;
  readonly text: string;
  readonly answer: string;
  /** What hung on the message, where whoever asked sent the conversation along. */
  readonly attachments?: readonly Attachment[];
}

export interface PlannedStep {
  readonly key: string;
  readonly title: string;
  readonly kind?: string;
}

/** How branches are shown, by name; `kind` is `branch` and the title is the name unless said. */
export type Looks = Readonly<Record<string, Omit<StepOptions, 'key'>>>;

export type Branches<T> = { readonly [Name in keyof T]: (scope: Scope) => Promise<T[Name]> };

/** How a step of a graph ended, as those that come after it see it. */
export type Settled<T = unknown> =
  | { readonly outcome: 'completed'; readonly result: T }
  | { readonly outcome: 'failed'; readonly failure: Failure }
  | { readonly outcome: 'skipped'; readonly reason: string };

/** How those ended that a step comes after, by key. */
export type Before = Readonly<Record<string, Settled>>;

/** A step of a graph. */
export interface Node<T> extends Omit<StepOptions, 'key'> {
  /** The keys of those that must be settled before this one begins. */
  readonly after?: readonly string[];
  /** Why it is not to be done after all. Asked once, when everything before it is settled: what was recorded holds. */
  unless?(before: Before): string | undefined;
  /** Whether it begins now, though not all before it are settled. Asked as each of them is. */
  soon?(before: Before): boolean;
  /** Resolves once nobody needs it any more, with why: it is skipped, and what it does is ended. Only for what does nothing to the world. */
  readonly over?: Promise<string> | undefined;
  /** Once it has failed, nothing of its graph begins any more. */
  readonly vital?: boolean;
  run(scope: Scope, before: Before): Promise<T>;
}

export type Nodes<T> = { readonly [Key in keyof T]: Node<T[Key]> };
export type Outcomes<T> = { readonly [Key in keyof T]: Settled<T[Key]> };

/**
 * A place in the tree of steps where a flow works. On recovery the flow runs again from the top: what is closed in the
 * journal returns its recorded result at once, and the first thing that is not goes on.
 */
export interface Scope {
  /** The step this scope works in; 0 is the run. */
  readonly id: number;
  readonly run: string;
  /** Who started the run, and whose it is. */
  readonly caller: { readonly tenant: string; readonly who: string };
  readonly conversation: string;
  readonly limits: Limits;
  /** What the run was started to do, as it was then; absent where that is in the flow alone. */
  readonly definition?: Json | undefined;
  /** When this scope was opened, the same after a recovery. */
  readonly openedAt: number;
  /** The same number between 0 and 1 at the same place of the same run, every time. */
  random(): number;

  /** Work that is a step of its own. Its result must be JSON. */
  step<T>(options: StepOptions, work: (scope: Scope) => Promise<T>): Promise<T>;
  /**
   * A turn of an agent, which gets back what it needs to remember in the way it declares. Fails with the agent's failure,
   * or `over-budget`.
   */
  turn(agent: Called, request: TurnRequest): Promise<TurnResult>;
  /** A turn that answers with JSON: what it says, read by a schema. Who answers something else is asked once more. */
  turn<Schema extends z.ZodType>(
    agent: Called,
    text: string,
    options: SchemaTurn<Schema>,
  ): Promise<z.output<Schema>>;
  call(tool: string, input: Json, options?: CallOptions): Promise<CallResult>;
  /** The same, typed by the tool: its schema says what it takes, its function what it gives. */
  call<Input, Result>(
    tool: TypedTool<Input, Result>,
    input: NoInfer<Input>,
    options?: CallOptions,
  ): Promise<CallResult<Result>>;
  ask(question: Question): Promise<Answer>;
  /** What is asked below from now on is decided by these, at least; said again at the same place after a recovery. */
  decidedBy(deciders: Deciders): void;
  /** Goes on when that time has come, however long that is. It is no work: no budget counts it. */
  wait(wait: Wait): Promise<{ readonly until: number }>;
  /** What a definition says now, which is recorded: after a recovery it is the same, whatever became of it meanwhile. */
  look(which: Looked): Promise<Json>;
  /** The same for all in this scope that come to it later: they get what it says now. Null where there is none yet. */
  lookAhead(which: Omit<Looked, 'key'>): Promise<Json>;
  /** Named branches at once. All are settled before it returns; the failure thrown is the first in branch order. */
  parallel<T extends Record<string, unknown>>(branches: Branches<T>, looks?: Looks, fan?: Fan): Promise<T>;

  /**
   * Named steps, each begun the moment those it comes after are settled. All are shown as planned at first. It returns how
   * each of them ended, and throws for none. Whoever heeds it is told as each is settled, also those that are recalled.
   */
  graph<T extends Record<string, unknown>>(
    nodes: Nodes<T>,
    heed?: (settled: Before) => void,
  ): Promise<Outcomes<T>>;

  /** What was planned under this key will not be done: it closes as skipped, now. */
  skip(key: string, reason: string): void;
  /** Show what will come. */
  plan(steps: readonly PlannedStep[]): void;
  phase(phase: Omit<EventOf<'phase.entered'>, 'type' | 'step'>): void;
  say(text: string, channel?: 'content' | 'reasoning' | 'log'): void;
  attach(item: Item): void;
  notice(code: string, message: string): void;
  /** A person agreed: what guards of the run only ask about may be said from now on. After a recovery it is to be said again. */
  letPass(): void;
  /** What an agent wants to remember in this conversation. */
  save(agent: string, strategy: string, state: Json): void;
  /** What was asked and answered in this conversation before, oldest first; the same after a recovery. */
  history(): Promise<readonly Exchange[]>;
  /** Facts that agents of this conversation shared. They change: read them in a step, whose result is recorded. */
  shared(names: readonly string[]): Promise<Readonly<Record<string, Json>>>;
  /** The next follow-up message nobody has taken yet. */
  message(): Omit<EventOf<'message.queued'>, 'type'> | undefined;
}
