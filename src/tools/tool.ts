import type { Deciders } from '../run/deciders.ts';
import type { Effect, Item, Json } from '../run/values.ts';

/** For whom a tool is there: what is accepted for one tenant, or where one decides alone, is not accepted for others. */
export interface Audience {
  readonly tenant: string;
  /** Who decides there, where it is not whoever started the run. */
  readonly approvals?: Deciders | undefined;
}

/** What a tool may use while it runs. */
export interface ToolContext extends Audience {
  /** The same for every attempt of one call: hand it to whoever does the work, so that it is done once. */
  readonly idempotencyKey: string;
  readonly run: string;
  readonly signal: AbortSignal;
  /** Live text below the call: progress, logs. */
  say(text: string): void;
  attach(item: Item): void;
  /**
   * A value without secrets; the step says that there was one. What a tool says and gives is cleaned in any case: this is
   * for what comes together and is given apart, or in part.
   */
  readonly clean?: <T>(value: T) => Promise<T>;
  /** Wait for something that is not the tool's own work: it is shown why, and does not count towards `timeout`. */
  exempt?<T>(wait: Promise<T>, why: string): Promise<T>;
  /**
   * A question to a person that comes up during the call; absent where there is nobody to ask. With a schema, an
   * accepted answer fits it. The wait is not the tool's time: it does not count towards `timeout`.
   */
  ask?(question: { title: string; message: string; schema?: Json }): Promise<{
    decision: 'accept' | 'decline' | 'cancel';
    answer?: Json;
  }>;
}

/** How urgent a question is, and after how many milliseconds it lapses as if it was rejected; never unless said. */
export interface Asking {
  readonly priority?: 'low' | 'medium' | 'high' | 'critical';
  readonly expiresIn?: number;
}

/** When a person must agree before a call runs. */
export type ApprovalRule = 'never' | 'always' | ((input: Json) => boolean);

/**
 * Something an agent may call. `effect` decides what happens when nobody knows whether a call was done: `pure` is run
 * again, `idempotent` is run again with the same key, `once` goes to a person.
 */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: Json;
  readonly effect: Effect;
  readonly approval?: ApprovalRule;
  /** Who decides what it asks, at least, in whichever app it is called. */
  readonly approvals?: Deciders | undefined;
  /**
   * Whether data can leave by a call. What others brought into the run then does not go without a person who sees it.
   * What changes something sends unless it says otherwise; what only reads does not unless it says so.
   */
  readonly sends?: boolean;
  /** What it gives was written by others (a web page, a file, a server), so nobody knows what it wants. */
  readonly untrusted?: boolean;
  /**
   * What a person should know before the first call: nobody has vouched yet, for these, for what the tool says of
   * itself. As long as there is something, every call asks.
   */
  caution?(audience: Audience): string | undefined;
  /** A name for what it says of itself, where others can change that: a person agrees to the tool as it was shown. */
  readonly pin?: string;
  /** How a person is asked, where one must agree. */
  readonly asking?: Asking;
  /** Milliseconds for one attempt; 60,000 unless said. */
  readonly timeout?: number;
  /**
   * Milliseconds for which a later turn of the conversation may use an outcome again, if nothing was written since; not
   * at all unless said. For `pure` tools only: whoever asks again to change something wants it changed again.
   */
  readonly remembers?: number;
  /** Polling and the like: the same call again is not a duplicate, but it is still budgeted. */
  readonly repeatable?: boolean;
  run(input: Json, context: ToolContext): Promise<Json>;
}

/** A tool whose arguments and result the compiler knows. */
export interface TypedTool<Input, Result> extends Tool {
  /** Never there: it carries the types. */
  readonly types?: (input: Input) => Result;
}
