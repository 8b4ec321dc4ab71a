/** What one run does: text of the model, a tool, text again, and so on. */
export interface Plan {
  /** Pieces of text in each turn of the model. */
  readonly deltas: number;
  /** How many tools are called, each followed by another turn. */
  readonly tools: number;
  /** Milliseconds between two pieces. */
  readonly pace: number;
  /** Milliseconds before a turn ends: the stream stays open. */
  readonly open?: number;
  /** Whether each piece has a word that nobody has said before: what finds runs by their words grows fastest then. */
  readonly newWords?: boolean;
}

/** What the model is asked in one turn. */
export interface Asked extends Plan {
  /** The number of the call it makes at the end; none where it answers. */
  readonly call?: number;
  /** Whose answer it is. */
  readonly stream?: number;
}

/** Streams that are watched at the same time, each run after run. */
export interface Visit {
  readonly url: string;
  /** How a run is started there. Its stream is the answer, but for older checkouts of ours. */
  readonly kind: 'raw' | 'vitrine';
  readonly streams: number;
  readonly runs: number;
  /** Milliseconds between the starts of two streams. */
  readonly stagger: number;
  readonly plan: Plan;
}

/** What the viewers of a visit had. */
export interface Had {
  readonly deltas: number;
  /** Milliseconds from the model to the viewer. */
  readonly p50: number;
  readonly p99: number;
}

export function asked({ tools, ...plan }: Plan, turn: number): Asked {
  return turn < tools ? { ...plan, tools, call: turn } : { ...plan, tools };
}

/** What a process under test says of itself. */
export interface Usage {
  /** Microseconds of all threads. */
  readonly cpu: number;
  /** Bytes written to disk. */
  readonly written: number;
  /** Bytes in memory. */
  readonly resident: number;
  /** Commits of its store. */
  readonly commits: number;
  /** Promises made since they are counted. */
  readonly promises: number;
}

export type Question = 'usage' | 'count promises' | 'collect';
