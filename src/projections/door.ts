import type { Decision } from '../run/events.ts';
import type { ResumeRequest } from '../run/tool-pause.ts';
import type { RunTree } from '../run/tree.ts';
import type { Json } from '../run/values.ts';

/** A way in for clients of a protocol: where they ask, and what they ask for there. The server does it. */
export interface Door<Framing> {
  /** `POST` unless said. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As `/dial/:app/completions`. */
  readonly path: string;
  readonly about: string;
  /** The least somebody must be allowed: `member` unless said. */
  readonly role?: 'viewer' | 'member';
  /** The header its clients carry their key in, where it is not `authorization`. */
  readonly keyHeader?: string;
  /** The most bytes a request may have; a megabyte unless said. */
  readonly bodyLimit?: number;
  /** What a request asks for; one that cannot be read is refused by a failure. */
  readonly read: (request: DoorRequest) => Wish<Framing>;
}

/** A request as it comes: nothing of it has been believed yet. */
export interface DoorRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly header: (name: string) => string | undefined;
}

/** What a request asks for. */
export type Wish<Framing> =
  | ((StartWish | DecideWish | ResumeWish | FollowWish | StopWish) & Wanted<Framing>)
  | LookWish;

/** How an answer is wanted: as it comes, whole, as far as it is there, or not at all. */
export type Form = 'stream' | 'whole' | 'now' | 'none';

export interface Wanted<Framing> {
  readonly form: Form;
  /** How frames look in this answer, where it is not as the protocol says. */
  readonly framing?: Framing;
  /** What the request wants told or left out, by names of the protocol's own. */
  readonly options?: Readonly<Record<string, boolean | string>>;
}

/** Begin a run. */
export interface StartWish {
  readonly wants: 'start';
  readonly app: string;
  readonly message: SentMessage;
  /** The client's own name for the conversation; without one, each request is a conversation of its own. */
  readonly conversation?: string | undefined;
  /** The conversation as the client has it, oldest first. Where it sends one, nothing that is kept here is mixed in. */
  readonly history?: readonly SentMessage[] | undefined;
  /** The answer it goes on after, in the conversation of its run, as far as that one had come. */
  readonly follows?: NamedAnswer | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** What of the request means nothing here, in sentences: said as notices of the run. */
  readonly ignored?: readonly string[];
  /** The client library sends this again because it got no answer: it joins the run that the same request began. */
  readonly isRetry?: boolean;
}

/** A message as a client sends it. */
export interface SentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly attachments?: readonly SentAttachment[] | undefined;
  /** Of an answer: the run that gave it, as far as the client can say. What that run kept of its agents is gone on from. */
  readonly run?: string | undefined;
  /** Of an answer that the client only names: where its words are read. */
  readonly named?: NamedWords | undefined;
  /** Of an answer: what its agents left, as the client carries it. Used where its app trusts it, or this server gave it. */
  readonly state?: Json | undefined;
}

/** Words of an answer that was given here. */
export interface NamedWords {
  readonly answer: NamedAnswer;
  /** Found in the whole answer; undefined where what is named there is nothing that was said. */
  readonly in: (whole: unknown) => string | undefined;
}

/** A file that was sent before, or a thing itself: exactly one of `file`, `data` and `url`. */
export interface SentAttachment {
  readonly file?: string;
  readonly type?: string;
  readonly title?: string;
  /** Text, or base64 of what is no text. */
  readonly data?: string;
  readonly url?: string;
}

/** An answer of a run: the run, and the entry after which it begins. */
export interface NamedAnswer {
  readonly run: string;
  readonly begin: number;
}

/** Answer what a run asks; the answer is what it does then. */
export interface DecideWish {
  readonly wants: 'decide';
  /** The app that is asked: what another one asked is not decided there. */
  readonly app?: string | undefined;
  /** What the user said last in the same request, where clients repeat what was said: anything new is refused. */
  readonly beside?: string | undefined;
  readonly decisions: readonly SentDecision[];
  /** What the request calls the list they stand in. */
  readonly field?: string;
}

export interface SentDecision {
  /** As `questionId` names it, or the fingerprint alone. */
  readonly question: string;
  readonly decision: Exclude<Decision, 'expire' | 'defer'>;
  readonly rationale?: string | undefined;
  /** With `edit`. */
  readonly arguments?: Json | undefined;
  /** With `approve`, where the question has a schema. */
  readonly answer?: Json | undefined;
}

/** Go on after a tool phase; the answer is what the run does then. */
export interface ResumeWish {
  readonly wants: 'resume';
  readonly of: Sought;
  readonly batch: ResumeRequest;
}

/** Hear of a run that is there. */
export interface FollowWish {
  readonly wants: 'follow';
  readonly of: Sought;
  /**
   * Which of its answers: the one that begins after an entry, the last one, all up to the last told as one, or the last one
   * after what brings a client without a cursor up to date.
   */
  readonly answer: number | 'last' | 'all' | 'prelude';
  /** What the client has had: everything up to an entry, and so many frames of the next. */
  readonly after?: { readonly entry: number; readonly frames?: number } | undefined;
  /** What the client says it has, where it is brought up to date by a prelude. */
  readonly had?: readonly unknown[] | undefined;
  /** 204 where there is no such run, or it ended longer ago. Milliseconds. */
  readonly endedWithin?: number;
}

export interface StopWish {
  readonly wants: 'stop';
  readonly of: Sought;
}

/** Anything else that is told from what is kept. */
export interface LookWish {
  readonly wants: 'look';
  readonly look: (desk: Desk) => unknown;
}

/** A run by its id, or the newest of a conversation by the client's name for it. */
export type Sought = { readonly run: string } | { readonly conversation: string };

/** What can be looked at: nothing that is not the caller's. */
export interface Desk {
  readonly apps: readonly { readonly name: string; readonly description?: string | undefined }[];
  run(id: string): Promise<RunTree | undefined>;
  /** The runs of a conversation that hold their places, oldest first. */
  runs(conversation: string): Promise<readonly { readonly run: string; readonly tree: RunTree }[]>;
}
