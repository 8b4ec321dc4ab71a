import { LRUCache } from 'lru-cache';
import { Engine } from '../../engine/engine.ts';
import { flowId } from '../../engine/flow-id.ts';
import { strandedBy } from '../../engine/recovery/stranded.ts';
import type { World } from '../../engine/world.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { failureOf, RunError, type Failure } from '../../run/failure.ts';
import type { Receipt, RunRow } from '../../stores/store.ts';
import { keepPreferences } from '../compose/app-preferences.ts';
import { listenForControl } from './control.ts';
import { isEdit } from '../runs/command-run.ts';
import { eraseConversation, type Erasing } from '../runs/erase.ts';
import { folderOwner, localTenant, type App, type Control, type Home, type Standing } from './home.ts';
import { outgoingBlobs, outgoingJournal } from '../runs/outgoing.ts';
import { runFilter } from '../runs/run-filter.ts';
import { forgetInLog, logIn } from '../observe/log.ts';
import { expectReady } from '../observe/readiness.ts';
import type { ToolServers } from '../compose/tool-servers.ts';

export interface HeldHome extends Home {
  readonly engine: Engine;
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
  /** Work on what is asked for, or on everything that is unfinished. */
  readonly takes: 'asked' | 'everything';
  readonly toolServers?: ToolServers;
  readonly notices: readonly string[];
  /** How long what has begun may take when all is to end. Milliseconds. */
  readonly grace: number;
  /** What the configuration wants done when all is over. */
  readonly onClose?: () => Promise<void>;
}

/** How long a command may take to become an entry before we stop waiting for it, in milliseconds. */
const patience = 5_000;
const lookAgain = 15;

/** Work on the runs of a folder, and let other terminals ask for more. */
export async function holdHome(holding: Holding): Promise<HeldHome> {
  const { folder, apps, worker, takes, notices, grace } = holding;
  const problems = new Problems();
  const world = noting(holding.world, problems);
  const engine = new Engine(world, worker);
  const asked = new Set<string>();
  const over = new AbortController();
  const working = engine.work(over.signal, { only: takes === 'asked' ? asked : undefined, grace });
  forgetErased(world, folder);
  const control = controlOf({ engine, world, apps, asked });
  let url: string | undefined;
  const heard = { ...control, shared: world.store.shared, where: () => url };
  const listening = await listenForControl(folder, heard).catch((thrown: unknown) => failureOf(thrown));
  const { store, secrets } = world;
  const { preferences, notices: unkept } = await keepPreferences(store.shared, apps);
  const rest = once(() => letGo(listening, over, working));
  return {
    isHolder: true,
    isGone: () => false,
    get inHand() {
      return engine.busyWith;
    },
    engine,
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
    runs: (tenant, query) => store.dispatch.list(runFilter(tenant, query)),
    blobs: outgoingBlobs(store.blobs, secrets),
    ...control,
    async standing(run) {
      const isOurs = takes === 'everything' || asked.has(run);
      return standingOf(await store.dispatch.get(run), { run, engine, isOurs, problems, world });
    },
    rest,
    async close() {
      await rest();
      await store.close();
      await holding.onClose?.();
    },
  };
}

/** Whichever process erased a run: nothing is said of it here any more. */
function forgetErased({ store, log }: World, folder: string): void {
  store.listen((hint) => {
    if (hint.type !== 'erased') return;
    try {
      forgetInLog(logIn(folder), hint.run);
    } catch (cause) {
      log.error({ cause }, 'What the log says of a run that was erased is still there.');
    }
  });
}

/** Hear of nothing more, and finish what is in hand. */
async function letGo(
  listening: Failure | (() => Promise<void>),
  over: AbortController,
  working: Promise<void>,
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
  readonly engine: Engine;
  readonly world: World;
  readonly apps: readonly App[];
  readonly asked: Set<string>;
}

function controlOf({ engine, world, apps, asked }: Parts): Control {
  const { dispatch } = world.store;
  const isKnown = ({ flow }: RunRow): boolean => world.catalog.flows.some((known) => flowId(known) === flow);
  const take = async (run: string): Promise<void> => {
    for (const other of asked) if ((await dispatch.get(other))?.state === 'ended') asked.delete(other);
    asked.add(run);
    await engine.claim(run);
  };
  const send: Control['send'] = async (run, command) => {
    const id = world.newId('command');
    const receipt = await engine.send(run, command, id);
    const row = await dispatch.get(run);
    if (!row) return receipt;
    if (isKnown(row)) await take(run);
    // What shall run instead is judged by tools that are not known here.
    else if (isEdit(command)) return receipt;
    else await engine.record(row);
    return seen(world, receipt, () => engine.send(run, command, id));
  };
  return {
    async start({ app: name, flow, text, conversation, by, key }) {
      const app = apps.find((known) => known.name === name);
      if (!app || flowId(app.flow) !== flow) throw cannotStart(apps, `«${name}» (${flow})`);
      await expectReady(world.store);
      const started = await engine.start({
        app: app.name,
        flow: app.flow,
        input: { text },
        limits: app.limits,
        approvals: app.approvals,
        definition: await app.definition?.(),
        caller: { tenant: localTenant, who: by, idempotencyKey: key },
        ...(conversation === undefined ? {} : { conversation }),
      });
      asked.add(started.run);
      return { run: started.run, conversation: started.conversation };
    },
    send,
    erase: eraser({ engine, dispatch, journal: world.store.journal, send }),
    async takeUp(run) {
      const row = await dispatch.get(run);
      if (!row) throw new RunError('unknown', `There is no run ${run}.`);
      if (!isKnown(row)) return false;
      await take(run);
      return true;
    },
  };
}

interface Eraser extends Pick<Erasing, 'dispatch' | 'journal'>, Pick<Control, 'send'> {
  readonly engine: Engine;
}

function eraser({ engine, send, ...erasing }: Eraser): Control['erase'] {
  const stop = { type: 'stop', by: folderOwner, reason: 'The conversation is erased.' } as const;
  return (conversation, tenant = localTenant) =>
    eraseConversation(
      { ...erasing, stop: ({ run }) => send(run, stop), released: (run) => engine.released(run) },
      { tenant, conversation },
    );
}

/** Asked again with its own id, a command tells what became of it. */
async function seen({ clock }: World, sent: Receipt, again: () => Promise<Receipt>): Promise<Receipt> {
  const { signal } = new AbortController();
  const until = clock.worked() + patience;
  let receipt = sent;
  while (receipt.used === null && clock.worked() < until) {
    await clock.sleep(lookAgain, signal);
    receipt = await again();
  }
  return { ...receipt, fresh: sent.fresh };
}

interface Signs {
  readonly run: string;
  readonly engine: Engine;
  readonly isOurs: boolean;
  readonly problems: Problems;
  readonly world: World;
}

function standingOf(row: RunRow | undefined, { run, engine, isOurs, problems, world }: Signs): Standing {
  if (!row || row.state === 'ended') return { is: 'ended' };
  const stranded = isOurs ? strandedBy(world.catalog.flows, row) : undefined;
  if (stranded !== undefined) return { is: 'left', why: stranded };
  if (row.state === 'waiting') return { is: 'parked' };
  const problem = problems.of(run) ?? engine.trouble;
  if (engine.busyWith.includes(run) || (isOurs && problem === undefined)) return { is: 'working' };
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
