import type { ServerAddress } from '../../client/ask.ts';
import type { Command } from '../../run/commands.ts';
import type { Standing } from '../../server/folder/home.ts';

/** Where a terminal asks: the same API, whoever answers it. */
export interface Reached {
  readonly server: ServerAddress;
  /** Whose things are asked for, where they are not the owner's own. */
  readonly tenant?: string | undefined;
  /** A text without the secrets that are known here. */
  readonly clean: (text: string) => string;
  /** Nothing more comes from there: look whether whoever answered still does. */
  away(): Promise<void>;
  close(): Promise<void>;
}

/** A run, as it is asked for. */
export interface StartRequest {
  /** Empty for the app of those who name none. */
  readonly app: string;
  /** Name and version of the flow the asker means by that app; empty for whatever is meant there. */
  readonly flow: string;
  readonly text: string;
  readonly conversation?: string;
  /** Whoever asks again with the same key means the same run: the process that was asked may have gone meanwhile. */
  readonly key: string;
}

/** What a terminal asks of runs. */
export interface Control {
  start(request: StartRequest): Promise<{ readonly run: string; readonly conversation: string }>;
  /** The entry that a command became, where whoever answers says so. */
  send(run: string, command: Command): Promise<number | null>;
  /** Have a run worked on; false where its flow is not known. */
  takeUp(run: string): Promise<boolean>;
}

/** Where something can be done: a data folder, as its holder or beside it, or a server. */
export interface TerminalHome extends Reached, Control {
  readonly isHolder: boolean;
  /** Whether the process that was asked is no longer there. */
  isGone(): boolean;
  /** What the owner should know about the folder as it was found. */
  readonly notices: readonly string[];
  standing(run: string): Promise<Standing>;
  /** Hear that runs may stand differently, for a reason that no journal tells. Returns what ends it. */
  listen(hear: () => void): () => void;
  /** Resolves when this process does not have the run in hand. */
  released(run: string): Promise<void>;
  /** Resolves when this process has no run in hand. */
  idle(): Promise<void>;
  /** Runs this process works on. */
  inHand(): readonly string[];
}

/** Of who has no run in hand. */
export const emptyHanded: Pick<TerminalHome, 'inHand' | 'released' | 'idle'> = {
  inHand: () => [],
  released: async () => {},
  idle: async () => {},
};
