import type { Call, StepId } from '../run/events.ts';
import type { RunTree } from '../run/tree.ts';
import type { Source } from '../run/untrusted.ts';
import type { BlobRef, Json } from '../run/values.ts';

/** What someone wants to begin: a tool call, or a turn of a model or agent. */
export interface Intent {
  readonly kind: 'turn' | 'call';
  readonly parent: StepId;
  readonly call?: Call;
  /** The tool or agent itself says that a person must agree. */
  readonly mustAsk?: boolean;
  /** What whoever is asked should know of the tool. */
  readonly caution?: string | undefined;
  /** Data can leave by it. */
  readonly sends?: boolean;
  /** A model asked for the call, so it may be one of a loop. */
  readonly requested?: boolean;
  /** The same call again is no duplicate. */
  readonly repeatable?: boolean;
  /** The turn that writes the final answer may use what is kept back for it. */
  readonly answers?: boolean;
  /** About as many as a turn is sent. */
  readonly tokens?: number;
  /** How many hang on the message of a turn. */
  readonly attachments?: number;
}

/**
 * The strictest of all verdicts wins, in this order: stop, refuse, reuse, ask, allow. What is reused does not run, so
 * nobody is asked about it: a person who agreed would make it run twice.
 */
export type Verdict =
  | { readonly verdict: 'allow' }
  /** The outcome of a step of this run, or, without one, of the earlier run. */
  | { readonly verdict: 'reuse'; readonly step?: StepId; readonly code: string; readonly reason: string }
  | { readonly verdict: 'ask'; readonly reason: string }
  | { readonly verdict: 'refuse'; readonly code: string; readonly reason: string }
  /** The whole run ends here. */
  | { readonly verdict: 'stop'; readonly code: string; readonly reason: string };

/** What the same call gave earlier in the conversation, if its tool lets others remember it. */
export interface EarlierOutcome {
  readonly run: string;
  readonly result: BlobRef | Json;
}

export interface PolicyView {
  readonly tree: RunTree;
  readonly now: number;
  readonly earlier?: EarlierOutcome | undefined;
  /** What others wrote and other runs of the conversation have read. */
  readonly inherited?: readonly Source[] | undefined;
  /** Why nothing more may be kept of the run, where it has used up its entries or bytes. */
  readonly full?: string | undefined;
}

/** What may happen next, judged from the run as recorded. Pure: the same tree gives the same verdict. */
export type Policy = (view: PolicyView, intent: Intent) => Verdict;
