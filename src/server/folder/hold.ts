import { LRUCache } from 'lru-cache';
import { flowId } from '../../engine/flow-id.ts';
import { workplaceIn, type World } from '../../engine/world.ts';
import { erasures, type Erasures } from '../../front/erase.ts';
import { frontOf, type Front } from '../../front/front.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { failureOf, RunError, type Failure } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import { Worker, type Takes } from '../../worker/worker.ts';
import { keepPreferences } from '../compose/app-preferences.ts';
import { listenForControl } from './control.ts';
import { folderOwner, localTenant, type App, type Control, type Home, type Standing } from './home.ts';
import { outgoingBlobs, outgoingJournal } from '../runs/outgoing.ts';
import { forgetInLog, logIn } from '../observe/log.ts';
import { expectReady } from '../observe/readiness.ts';
import type { ToolServers } from '../compose/tool-servers.ts';

export interface HeldHome extends Home, Erasures {
  readonly front: Front;
  /** Absent in a process that only serves. */
  readonly worker: Worker | undefined;
  readonly store: World['store'];
  readonly apps: readonly App[];
  readonly catalog: World['catalog'];
  readonly secrets: Secrets;
  /** Where tools come from that are not here. */
  readonly toolServers: ToolServers | undefined;
  /** Tell other terminals of this folder where it is served. */
  announce(url: string): void;
  /** Work on nothing more and hand back what is in hand. What is kept can be read until it is closed. */
  rest(): Promise<void>;
}

export interface Holding {
  readonly world: World;
  readonly folder: string;
  readonly apps: readonly App[];
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
export async function holdHome(holding: Holding): Promise<HeldHome> {
  const { folder, apps, notices, grace } = holding;
  const problems = new Problems();
  const world = workplaceIn(noting(holding.world, problems));
  const worker = holding.takes === 'nothing' ? undefined : new Worker(world, holding.worker, holding.takes);
  const erased = erasures();
  erased.onErased((run) => forgetInLog(logIn(folder), run));
  const front = frontOf(world, { ...(worker ? { worker } : {}), forget: erased.tellErased });
  const over = new AbortController();
  const working = worker?.work(over.signal, { grace });
  const control = controlOf({ front, world, apps });
  let url: string | undefined;
  const heard = { ...control, where: () => url };
  const listening = await listenForControl(folder, heard).catch((thrown: unknown) => failureOf(thrown));
  const { preferences, notices: unkept } = keepPreferences(folder, apps);
  const { store, secrets } = world;
  const rest = once(() => letGo(listening, over, working));
  return {
    isHolder: true,
    isGone: () => false,
    get inHand() {
      return worker?.busyWith ?? [];
    },
    front,
    worker,
    store,
    apps,
    catalog: world.catalog,
    secrets,
    toolServers: holding.toolServers,
    announce: (served) => void (url = served),
    notices: [...notices, ...(typeof listening === 'function' ? [] : [unheard(listening)]), ...unkept],
    clean: secrets.clean,
    preferences,
    journal: outgoingJournal(store.journal, secrets),
    dispatch: store.dispatch,
    blobs: outgoingBlobs(store.blobs, secrets),
    ...erased,
    ...control,
    async standing(run) {
      return standingOf(await store.dispatch.get(run), { run, worker, problems });
    },
    rest,
    async close() {
      await rest();
      await store.close();
      await holding.onClose?.();
    },
  };
}

/** Hear of nothing more, and finish what is in hand. */
async function letGo(
  listening: Failure | (() => Promise<void>),
  over: AbortController,
  working: Promise<void> | undefined,
): Promise<void> {
  if (typeof listening === 'function') await listening();
  over.abort();
  await working;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => (begun ??= work());
}

interface Parts {
  readonly front: Front;
  readonly world: World;
  readonly apps: readonly App[];
}

function controlOf({ front, world, apps }: Parts): Control {
  const found = async (run: string): Promise<RunRow> => {
    const row = await world.store.dispatch.get(run);
    if (row) return row;
    throw new RunError('unknown', `There is no run ${run}.`);
  };
  return {
    async start({ app: name, flow, text, conversation, by, key }) {
      const app = apps.find((known) => known.name === name);
      if (!app || flowId(app.flow) !== flow) throw cannotStart(apps, `«${name}» (${flow})`);
      await expectReady(world.store);
      const started = await front.start({
        app: app.name,
        flow: app.flow,
        input: { text },
        limits: app.limits,
        approvals: app.approvals,
        caller: { tenant: localTenant, who: by, idempotencyKey: key },
        ...(conversation === undefined ? {} : { conversation }),
      });
      return { run: started.run, conversation: started.conversation };
    },
    async send(run, command) {
      const id = world.newId('command');
      return (await front.command(await found(run), { command, id })).receipt;
    },
    erase: (conversation, tenant = localTenant) => front.erase({ tenant, conversation, by: folderOwner }),
    takeUp: async (run) => front.takeUp(await found(run)),
  };
}

interface Signs {
  readonly run: string;
  readonly worker: Worker | undefined;
  readonly problems: Problems;
}

function standingOf(row: RunRow | undefined, { run, worker, problems }: Signs): Standing {
  if (!row || row.state === 'ended') return { is: 'ended' };
  if (row.state === 'waiting') return { is: 'parked' };
  const problem = problems.of(run) ?? worker?.trouble;
  if (!worker || worker.busyWith.includes(run) || (worker.isMine(run) && problem === undefined))
    return { is: 'working' };
  return { is: 'left', ...(problem === undefined ? {} : { why: problem }) };
}

/** What was last said to be wrong with each run, for whoever asks why nobody works on it. */
class Problems {
  readonly #known = new LRUCache<string, string>({ max: 1_000 });

  note(run: string | undefined, problem: string): void {
    if (run !== undefined) this.#known.set(run, problem);
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

/** A folder whose disk knows no sockets can be worked in all the same. */
function unheard({ message }: Failure): string {
  return `Other terminals can read this folder, but their commands do not arrive: ${message}`;
}

function cannotStart(apps: readonly App[], wanted: string): RunError {
  const known = apps.map(({ name, flow }) => `«${name}» (${flowId(flow)})`).join(', ') || 'no app at all';
  return new RunError(
    'rejected',
    `Process ${process.pid} holds this folder and cannot run ${wanted}; it has ${known}: wait until it ends, or choose another folder.`,
  );
}
