import type { Log } from '../engine/world.ts';
import type { DefinedConfig } from '../server/compose/define-config.ts';
import { serve as startServer } from '../server/serve.ts';

/** What to serve, and where. */
export interface ServeSettings {
  /** The data folder: this process has it alone. */
  readonly data: string;
  readonly config?: DefinedConfig;
  /** As the configuration says, unless said: 127.0.0.1. */
  readonly host?: string;
  /** As the configuration says, unless said: 4177. 0 for any that is free. */
  readonly port?: number;
  /** Ask for a key on this machine, too, as «auth.local: key» does. */
  readonly isPrivate?: boolean;
  /** Where bugs are told; on standard error unless said. */
  readonly log?: Log;
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  /** What whoever started it should know. */
  readonly notices: readonly string[];
  /** Where the key of whoever owns the folder is, if the server had to make one or was asked to. */
  readonly keyFile?: string;
  /** Signs one browser in, once, where «auth.local» asks for a key. */
  readonly link?: string;
  /** Let what has begun come to its end, hand runs back, tell viewers to come back, and end. */
  close(): Promise<void>;
}

/** Open a data folder, work on its runs, and let people in over HTTP. */
export async function serve(settings: ServeSettings): Promise<RunningServer> {
  const { context: _, hosted: __, ...server } = await startServer(settings);
  return server;
}
