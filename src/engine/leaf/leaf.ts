import type { EarlierOutcome, Intent } from '../../policies/policy.ts';
import type { Call, EventOf } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import type { Step } from '../../run/tree.ts';
import type { Source } from '../../run/untrusted.ts';
import type { BlobRef, Effect, Json, Usage } from '../../run/values.ts';
import type { Asking } from '../../tools/tool.ts';
import type { Refusal } from '../scope.ts';
import type { Standing } from '../conversation/standing.ts';

/** How an effect came out. */
export interface LeafOutcome {
  readonly outcome: 'completed' | 'failed';
  readonly result?: Json;
  readonly failure?: Failure;
  readonly usage?: Usage;
}

/** What the one who was asked remembers of it. */
export interface Recalled {
  /** Whether it arrived there; undefined when nobody can tell. */
  readonly arrived: boolean | undefined;
  readonly answer?: string | undefined;
}

type Opening = Omit<EventOf<'step.opened'>, 'type' | 'step' | 'parent' | 'key' | 'started' | 'attempt'>;

/** A turn or a call: the only things that have effects. */
export interface Leaf {
  readonly key: string;
  readonly opening: Opening;
  readonly effect: Effect;
  readonly intent: Intent;
  /** The flow shows it and does not want it run. */
  readonly refusal?: Refusal | undefined;
  /** What the same call gave earlier in the conversation. */
  readonly earlier?: EarlierOutcome | undefined;
  /** What others wrote and other runs of the conversation have read. */
  readonly inherited?: readonly Source[] | undefined;
  /** Known to fail before anything is asked of anyone: arguments that do not fit. */
  readonly misfit?: Failure | undefined;
  /** What of the arguments is not checked, each in words. */
  readonly unchecked?: readonly string[] | undefined;
  /** How a person is asked, where one must agree. */
  readonly asking?: Asking | undefined;
  /** What a person sees and agrees to, exactly. */
  readonly bytes: Json;
  /** The same as an entry carries it, where it is large. */
  readonly shown?: BlobRef | Json | undefined;
  /** The call as it is after a person has edited it. */
  edited(bytes: Json): Promise<Call | undefined>;
  /** Where the agent stands in its conversation, or what a tool says of itself: an agreement holds as long as that is so. */
  standing?(step: Step): Promise<Standing>;
  /** The same as it was just before this was opened, where a person may be asked. */
  readonly stood?: Standing | undefined;
  /** Only one at a time may be under way under this name. */
  readonly exclusive?: string | undefined;
  perform(step: Step, bytes: Json): Promise<LeafOutcome>;
  /** Looks into the history of whoever is asked, where there is one. */
  recall?(step: Step, bytes: Json): Promise<Recalled>;
}
