import type { Decision } from '../run/events.ts';
import type { Attachment, Item, Json, Usage } from '../run/values.ts';

/** One message of the exchange a turn continues, as every back end understands it. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** Calls an assistant message asked for. */
  readonly calls?: readonly { readonly id: string; readonly tool: string; readonly arguments: string }[];
  /** The call a tool message answers. */
  readonly call?: string;
  /** What a remote agent asked us to hand back with this message. */
  readonly state?: Json;
}

/** A tool as a model is told of it. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
}

/** What an agent wants to know of a person before it goes on. */
export interface AgentQuestion {
  /** The agent's own name for it. */
  readonly id: string;
  readonly title: string;
  readonly message?: string;
  /** What a person agrees to, exactly. */
  readonly arguments?: Json;
  /** JSON schema of what a person fills in. */
  readonly schema?: Json;
  /** What the back end needs to have back with the answer. */
  readonly token?: Json;
}

/** What a person made of it. */
export interface AgentAnswer extends Pick<AgentQuestion, 'id' | 'token'> {
  readonly decision: Exclude<Decision, 'defer'>;
  /** What was filled in, or what was made of the arguments. */
  readonly answer?: Json;
  readonly rationale?: string;
}

/** What a back end is asked to do, once. */
export interface Turn {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolOffer[];
  readonly toolChoice?: 'auto' | 'none' | 'required';
  /** JSON schema the answer must follow. */
  readonly answerSchema?: Json;
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** The same for every attempt of one turn, so that a back end can recognise a repetition. */
  readonly idempotencyKey: string;
  /** Whether a back end that takes it twice under this key does no harm. */
  readonly isRepeatable?: boolean;
  /** The conversation this turn belongs to, forwarded to back ends that want it. */
  readonly conversation: string;
  /** What this agent saved in this conversation before. */
  readonly state?: Json;
  /** What people made of all that the turn before asked: the agent goes on with that. */
  readonly answers?: readonly AgentAnswer[];
  /** A person agreed to it where its agent stands: a back end that has lost that must not take it anywhere else. */
  readonly isAgreed?: boolean;
}

/** What a back end tells. Stages are named by the back end's own keys; the engine gives step ids. */
export type AgentEvent =
  | {
      readonly type: 'text.appended';
      readonly text: string;
      readonly channel?: 'content' | 'reasoning' | 'log';
    }
  /** A piece of a call: `tool` comes with the first piece. */
  | { readonly type: 'call.appended'; readonly call: string; readonly tool?: string; readonly text: string }
  | { readonly type: 'item.attached'; readonly item: Item }
  | {
      readonly type: 'stage.opened';
      readonly stage: string;
      readonly parent?: string;
      readonly title?: string;
      readonly kind?: string;
      readonly agent?: string;
      readonly icon?: string;
      readonly query?: string;
    }
  | { readonly type: 'stage.titled'; readonly stage: string; readonly text: string }
  | {
      readonly type: 'stage.appended';
      readonly stage: string;
      readonly text: string;
      readonly channel?: 'content' | 'reasoning' | 'arguments' | 'log';
    }
  | { readonly type: 'stage.attached'; readonly stage: string; readonly item: Item }
  | { readonly type: 'stage.closed'; readonly stage: string; readonly outcome: 'completed' | 'failed' }
  | { readonly type: 'state.reported'; readonly state: Json }
  | { readonly type: 'usage.reported'; readonly usage: Usage }
  /** Nothing had arrived yet, so the back end is asked again (or another model in its place). */
  | { readonly type: 'turn.retried'; readonly reason: string; readonly model?: string }
  | { readonly type: 'notice.posted'; readonly code: string; readonly message: string }
  /** The agent waits for a person; the turn ends with it, for the reason `asks`. */
  | { readonly type: 'question.asked'; readonly question: AgentQuestion }
  | {
      readonly type: 'turn.finished';
      readonly reason: 'stop' | 'length' | 'calls' | 'filter' | 'asks' | 'other';
    };

/** Takes what one chunk brought: true when it has enough, a promise when it has to wait before it can take more. */
export type Take = (events: readonly AgentEvent[]) => boolean | Promise<boolean>;

/** A turn as it is told: an array for each upstream chunk, to whoever iterates. */
export interface Telling extends AsyncIterable<readonly AgentEvent[]> {
  /**
   * The same for one who is called in the moment a chunk arrives. Resolves when all was told, true if `take` had enough;
   * rejects as iterating would, and with what `take` throws: it is left then. Not every gateway can.
   */
  each?(take: Take): Promise<boolean>;
  /** What the back end knows this turn by, once it has said so: who wants it cancelled names that, and may wait for it. */
  token?(): Json | undefined | Promise<Json | undefined>;
}

/**
 * A back end that can take a turn. It tells what happens as each upstream chunk brings it, and in no other way: no
 * journal, no clock. Throw `RunError` to fail the turn. When `signal` aborts, or the iterator is returned, the connection
 * behind it is closed.
 */
export interface Gateway {
  /** The model behind it, as its turns are labelled. */
  readonly model?: string | undefined;
  takeTurn(turn: Turn, signal: AbortSignal): Telling;
  /**
   * Tells the back end that nobody wants what goes by this token any more: a turn that is under way, or one that asks people.
   * Resolves when it has heard it; throws `RunError` where it has not.
   */
  cancel?(token: Json, signal: AbortSignal): Promise<void>;
  /** Whether the back end's own history shows that this turn arrived; undefined when it cannot tell. */
  arrived?(turn: Turn, signal: AbortSignal): Promise<boolean | undefined>;
  /** What the back end's own history has as the answer to this turn, if it has one. */
  answered?(turn: Turn, signal: AbortSignal): Promise<string | undefined>;
  /** Whether the back end still has the conversation this turn would go on with; undefined when it cannot tell. */
  remembers?(turn: Turn, signal: AbortSignal): Promise<boolean | undefined>;
}
