import { LRUCache } from 'lru-cache';
import { strandedBy } from '../../engine/recovery/stranded.ts';
import { workplaceIn, type Workplace, type World } from '../../engine/world.ts';
import type { DefinitionsFront } from '../../front/definitions.ts';
import { frontOf, type Front } from '../../front/front.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { RunError } from '../../run/failure.ts';
import type { Limits } from '../../run/values.ts';
import type { Preferences } from '../../run/preferences.ts';
import type { Blobs, Dispatch, Journal, RunRow } from '../../stores/store.ts';
import type { Takes, Worker } from '../../worker/worker.ts';
import { keepPreferences } from '../compose/app-preferences.ts';
import type { App, Standing } from './home.ts';
import { runFilter, type RunQuery } from '../runs/run-filter.ts';
import type { Uploads } from '../runs/uploads.ts';
import { forgetInLog, logIn } from '../observe/log.ts';
import type { ToolServers } from '../compose/tool-servers.ts';
import type { Showing } from '../../wire/native/query.ts';
import type { Nameable } from '../workflows/workflow-problems.ts';
import { outgoingBlobs, outgoingJournal } from '../viewers/source.ts';

/** What can be run as data, and what that stands on. */
export interface Definable {
  readonly definitions: DefinitionsFront;
  /** What graphs may name here. */
  readonly nameable: Nameable;
  /** Of every run, unless what it runs says otherwise. */
  readonly limits: Limits;
}

/** A data folder as the process has it that works there. What is asked of its runs is asked of the front. */
export interface OpenFolder extends Definable {
  /** False where somebody else may have it. */
  readonly isHolder: boolean;
  /** What the owner should know about the folder as it was found. */
  readonly notices: readonly string[];
  readonly journal: Pick<Journal, 'read' | 'follow' | 'watch'>;
  readonly dispatch: Pick<Dispatch, 'get' | 'list' | 'count'>;
  readonly blobs: Pick<Blobs, 'get'>;
  /** A page of a tenant's runs, the newest first. */
  runs(tenant: string, query: RunQuery): Promise<readonly RunRow[]>;
  /** A text without the secrets that are known here. */
  readonly clean: (text: string) => string;
  /** What is shown of a run of this app to somebody who asks for this. */
  preferences(app: string, asked?: Showing): Preferences;
  standing(run: string): Promise<Standing>;
  /** Hear that runs may stand differently, for a reason that no journal tells. Returns what ends it. */
  listen(hear: () => void): () => void;
  /** Resolves when this process does not have the run in hand. */
  released(run: string): Promise<void>;
  /** Resolves when this process has no run in hand. */
  idle(): Promise<void>;
  /** Runs this process works on. */
  inHand(): readonly string[];
  readonly front: Front;
  /** Absent in a process that only serves. */
  readonly worker: Worker | undefined;
  readonly store: World['store'];
  readonly apps: readonly App[];
  readonly catalog: World['catalog'];
  readonly secrets: Secrets;
  readonly newId: (kind: string) => string;
  /** What people brought into their conversations. */
  readonly uploads: Uploads;
  /** Where tools come from that are not here. */
  readonly toolServers: ToolServers | undefined;
  /** Work on nothing more and hand back what is in hand. What is kept can be read until it is closed. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

export interface Holding {
  readonly world: World;
  readonly folder: string;
  readonly apps: readonly App[];
  readonly definable: Definable;
  readonly uploads: Uploads;
  readonly worker: string;
  readonly takes: Takes | 'nothing';
  readonly toolServers?: ToolServers;
  readonly notices: readonly string[];
  /** How long what has begun may take when all is to end. Milliseconds. */
  readonly grace: number;
  /** What the configuration wants done when all is over. */
  readonly onClose?: () => Promise<void>;
}

/** Work on the runs of a folder, and let other terminals ask for more. */
export async function workInFolder(holding: Holding): Promise<OpenFolder> {
  const { folder, apps, notices, grace } = holding;
  const problems = new Problems();
  const world = workplaceIn(noting(holding.world, problems));
  const worker = await workerIn(world, holding);
  forgetErased(world, folder);
  const front = erasingUploads(frontOf(world, { worker }), holding.uploads);
  const over = new AbortController();
  const working = worker?.work(over.signal, { grace });
  const { preferences, notices: unkept } = await keepPreferences(world.store.shared, apps);
  const { store, secrets } = world;
  const journal = outgoingJournal(store.journal, secrets);
  const rest = once(async () => {
    over.abort();
    await working;
  });
  return {
    isHolder: true,
    front,
    worker,
    store,
    apps,
    ...holding.definable,
    catalog: world.catalog,
    secrets,
    newId: world.newId,
    uploads: holding.uploads,
    toolServers: holding.toolServers,
    notices: [...notices, ...unkept],
    clean: secrets.clean,
    preferences,
    journal,
    dispatch: store.dispatch,
    runs: (tenant, query) => store.dispatch.list(runFilter(tenant, query)),
    blobs: outgoingBlobs(store.blobs, secrets),
    async standing(run) {
      return standingOf(await store.dispatch.get(run), { run, worker, problems, world });
    },
    listen: (hear) => problems.listen(hear),
    ...handOf(worker),
    rest,
    async close() {
      await rest();
      await store.close();
      await holding.onClose?.();
    },
  };
}

/** Whoever does not work does not wait for the engine to be loaded. */
async function workerIn(
  world: Workplace,
  { takes, worker }: Pick<Holding, 'takes' | 'worker'>,
): Promise<Worker | undefined> {
  if (takes === 'nothing') return undefined;
  const { Worker: Working } = await import('../../worker/worker.ts');
  return new Working(world, worker, takes);
}

/** With a conversation go the documents that were brought into it. */
function erasingUploads(front: Front, uploads: Uploads): Front {
  return {
    ...front,
    async erase(erased) {
      const runs = await front.erase(erased);
      await uploads.erase(erased);
      return runs;
    },
  };
}

/** Whichever process erased a run: nothing is said of it here any more. */
function forgetErased({ store, log }: World, folder: string): void {
  const forget = (run: string): void => {
    try {
      forgetInLog(logIn(folder), run);
    } catch (cause) {
      log.error({ cause }, 'What the log says of a run that was erased is still there.');
    }
  };
  store.listen(({ run }) => forget(run), ['erased']);
}

/** What this process has in hand. */
function handOf(worker: Worker | undefined): Pick<OpenFolder, 'inHand' | 'released' | 'idle'> {
  return {
    inHand: () => worker?.busyWith ?? [],
    released: async (run) => worker?.released(run),
    idle: async () => worker?.idle(),
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => (begun ??= work());
}

interface Signs {
  readonly run: string;
  readonly worker: Worker | undefined;
  readonly problems: Problems;
  readonly world: World;
}

function standingOf(row: RunRow | undefined, { run, worker, problems, world }: Signs): Standing {
  if (!row || row.state === 'ended') return { is: 'ended' };
  const stranded = worker?.isMine(run) ? strandedBy(world.catalog, row) : undefined;
  if (stranded !== undefined) return { is: 'left', why: stranded };
  if (row.state === 'waiting') return { is: 'parked' };
  const problem = problems.of(run) ?? worker?.trouble;
  if (!worker || worker.busyWith.includes(run) || (worker.isMine(run) && problem === undefined))
    return { is: 'working' };
  return { is: 'left', why: problem };
}

/** What was last said to be wrong with each run, for whoever asks why nobody works on it. */
class Problems {
  readonly #known = new LRUCache<string, string>({ max: 1_000 });
  readonly #hearing = new Set<() => void>();

  note(run: string | undefined, problem: string): void {
    if (run !== undefined) this.#known.set(run, problem);
    for (const hear of this.#hearing) hear();
  }

  /** Returns what ends it. */
  listen(hear: () => void): () => void {
    this.#hearing.add(hear);
    return () => this.#hearing.delete(hear);
  }

  of(run: string): string | undefined {
    return this.#known.get(run);
  }
}

function noting(world: World, problems: Problems): World {
  return {
    ...world,
    log: {
      error(details, message) {
        const { run, cause } = details;
        problems.note(run, world.secrets.clean(cause instanceof RunError ? cause.message : message));
        world.log.error(details, message);
      },
    },
  };
}
