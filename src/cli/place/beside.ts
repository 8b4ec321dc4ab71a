import { vitrineClient } from '../../client/client.ts';
import { askFor } from '../../client/ask.ts';
import { followRun } from '../../client/follow.ts';
import { workflowsClient } from '../../client/workflows.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { expectSameApp, type Home, type FolderReader } from '../../server/folder/home.ts';
import { addressIn } from '../../server/folder/reach-folder.ts';
import { readHolder, type Holder } from '../../wire/native/folder.ts';
import { askedOver } from './asked-over.ts';
import type { TerminalHome } from './terminal-home.ts';

/** A folder that another process holds: read here, asked for there, over the socket in it. */
export function besideHolder(reader: FolderReader, data: string, holder: Holder): TerminalHome {
  const neighbour = new Neighbour(data, holder);
  const asked = askedOver((tenant) => addressIn(data, tenant), reader);
  return {
    ...reader,
    isHolder: false,
    isGone: () => neighbour.isGone,
    notices: [],
    inHand: () => [],
    released: async () => {},
    idle: async () => {},
    listen: (hear) => neighbour.listen(hear),
    follow: followerBeside(reader, data, neighbour),
    start: (request) =>
      neighbour.ask(async () => {
        expectSameApp(holder, request);
        return asked.start(request);
      }),
    send: (run, command) => neighbour.ask(() => asked.send(run, command)),
    takeUp: (run) => neighbour.ask(() => asked.takeUp(run)),
    workflows: workflowsClient(addressIn(data)),
    appList: () => vitrineClient(addressIn(data)).apps(),
    erase: (conversation, tenant) => neighbour.ask(() => asked.erase(conversation, tenant)),
    async standing(run) {
      const row = await reader.dispatch.get(run);
      if (!row || row.state === 'ended') return { is: 'ended' };
      if (row.state === 'waiting') return { is: 'parked' };
      if (!neighbour.isGone) return { is: 'working' };
      return { is: 'left', why: 'The process that worked on it is gone.' };
    },
  };
}

/** What a run records is told by whoever holds the folder; what that one still recorded before it went is in the folder. */
function followerBeside(reader: FolderReader, data: string, neighbour: Neighbour): Home['follow'] {
  return async function* (run, signal) {
    const { tenant } = (await reader.dispatch.get(run)) ?? {};
    let cursor = 0;
    for await (const news of followRun(addressIn(data, tenant), { run, showing: 'everything', signal })) {
      if (news.is === 'entries') {
        cursor = news.entries.at(-1)?.seq ?? cursor;
        yield news.entries;
      }
      if (news.is === 'away') await neighbour.look();
      if (neighbour.isGone) break;
    }
    if (!neighbour.isGone || signal.aborted) return;
    for await (const entries of reader.follow(run, signal)) yield entries.filter(({ seq }) => seq > cursor);
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
    if (now?.process !== this.#holder.process) this.#leave();
  }

  async ask<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      if (failureOf(thrown).code !== 'unavailable') throw thrown;
      this.#leave();
      const message = 'The process that holds the folder ended before it answered.';
      throw new RunError('unavailable', message, { cause: thrown });
    }
  }

  #leave(): void {
    this.#isGone = true;
    for (const hear of this.#hearing) hear();
  }
}
