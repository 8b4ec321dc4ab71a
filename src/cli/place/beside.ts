import { askFor, type ServerAddress } from '../../client/ask.ts';
import { RunError } from '../../run/failure.ts';
import { keptSecrets } from '../../server/compose/secret-names.ts';
import { expectSameApp } from '../../server/folder/home.ts';
import { addressIn } from '../../server/folder/reach-folder.ts';
import { readHolder, type Holder } from '../../wire/native/folder.ts';
import { askedOver } from './asked-over.ts';
import { isOver, summaryOf } from './find.ts';
import { readerIn } from './reader.ts';
import { emptyHanded, type Reached, type TerminalHome } from './terminal-home.ts';

/** A folder that somebody means, and whose things in it. */
export interface Folder {
  readonly data: string;
  readonly tenant?: string | undefined;
}

/** A folder that another process holds: asked there, over the socket in it, and read here once that process is gone. */
export function besideHolder(folder: Folder, holder: Holder): TerminalHome {
  const neighbour = new Neighbour(folder.data, holder);
  const later = readLater(folder);
  const server = addressBeside(folder, neighbour, () => later.read());
  const asked = askedOver(server);
  return {
    ...asked,
    ...emptyHanded,
    server,
    tenant: folder.tenant,
    clean: keptSecrets(folder.data).clean,
    away: () => neighbour.look(),
    isHolder: false,
    isGone: () => neighbour.isGone,
    notices: [],
    listen: (hear) => neighbour.listen(hear),
    async start(request) {
      expectSameApp(holder, request);
      return asked.start(request);
    },
    async standing(run) {
      const { status } = await summaryOf(server, run);
      if (isOver(status)) return { is: 'ended' };
      if (status !== 'running') return { is: 'parked' };
      if (!neighbour.isGone) return { is: 'working' };
      return { is: 'left', why: 'The process that worked on it is gone.' };
    },
    close: () => later.close(),
  };
}

/** What the holder recorded before it went is in the folder; what it was to do, nobody does. */
function addressBeside(
  { data, tenant }: Folder,
  neighbour: Neighbour,
  afterwards: () => Promise<Reached>,
): ServerAddress {
  const { url, fetch } = addressIn(data, tenant);
  return {
    url,
    async fetch(input, init = {}) {
      const answer = neighbour.isGone
        ? undefined
        : await fetch(input, init).catch(async (cause: unknown) => {
            if (!init.signal?.aborted) await neighbour.look();
            if (!neighbour.isGone) throw cause;
          });
      // It may be on its way out.
      if (answer?.status === 502) await neighbour.look();
      if (answer) return answer;
      if ((init.method ?? 'GET') !== 'GET')
        throw new RunError('unavailable', 'The process that holds the folder ended before it answered.');
      const { fetch: read = fetch } = (await afterwards()).server;
      return read(input, init);
    },
  };
}

function readLater(folder: Folder): { read(): Promise<Reached>; close(): Promise<void> } {
  let reader: Promise<Reached> | undefined;
  return {
    read: () => (reader ??= readerIn(folder)),
    close: async () => (await reader)?.close(),
  };
}

/** The process that holds the folder, as long as it does. */
class Neighbour {
  readonly #data: string;
  readonly #holder: Holder;
  readonly #hearing = new Set<() => void>();
  #isGone = false;

  constructor(data: string, holder: Holder) {
    this.#data = data;
    this.#holder = holder;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Hear that it is gone. Returns what ends it. */
  listen(hear: () => void): () => void {
    this.#hearing.add(hear);
    return () => this.#hearing.delete(hear);
  }

  /** Whether it is still there. Another that has the folder by now need not work on what this one was asked for. */
  async look(): Promise<void> {
    const now = await askFor(addressIn(this.#data), readHolder, {}).catch(() => undefined);
    if (now?.process === this.#holder.process) return;
    this.#isGone = true;
    for (const hear of this.#hearing) hear();
  }
}
