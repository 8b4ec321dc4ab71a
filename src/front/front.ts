import { type Begun, beginningOf } from '../engine/recovery/recorded.ts';
import type { Workplace } from '../engine/world.ts';
import { Command } from '../run/commands.ts';
import { parsed, type Limits, type Json, flowId, flowNamed } from '../run/values.ts';
import type { Receipt, RunRow, NewRun } from '../stores/store.ts';
import { commandRun, type CommandSent, type Outcome } from './command-run.ts';
import { eraseConversation, type Erased } from './erase.ts';
import { forkRun, type Fork, type Forked } from './fork-run.ts';
import type { Flow } from '../engine/scope.ts';
import type { EventOf, SentMessage } from '../run/events.ts';
import type { Deciders } from '../run/deciders.ts';
import { localTenant, folderOwner } from '../run/owner.ts';
import { keepLargeInput, keepLargeHistory, guardsIn } from '../engine/record/recordable.ts';
import { momentOf, leaseLength } from '../engine/time/deadlines.ts';
import { pastOf } from '../engine/conversation/conversation.ts';
import { indexedAll } from '../run/facts.ts';
import { keptName } from '../engine/record/kept-name.ts';
import { failureOf } from '../run/failure.ts';
import type { Guard } from '../guards/guard.ts';
import { applyToLong } from '../guards/apply-guard.ts';
import { guardedAttachment } from '../guards/guarded-attachment.ts';
import { encodeAll } from '../run/entries.ts';
import { present } from '../run/tree.ts';

/** What a front asks of the worker that is in the same process, where there is one. */
export interface WorkerBeside {
  readonly name: string;
  /** Execute a run that was created in this worker's hand. */
  begin(run: string, begun: Begun): void;
  /** Take a run up, and again whenever it wants a worker; false where its flow is not known here. */
  takeUp(row: RunRow): Promise<boolean>;
  /** Record what was asked of a run whose flow is not known here. */
  record(row: RunRow): Promise<void>;
  /** Resolves when this worker does not have the run in hand. */
  released(run: string): Promise<void>;
}

/** What people ask: runs are started, told something and erased, whoever works on them. */
export interface Front {
  /** Start a run, for anyone to take; a worker beside takes it in the same commit. It is durable when this resolves. */
  start(request: RunRequest): Promise<StartedRun>;
  /** Start a run that begins with what is known already. */
  fork(fork: Fork): Promise<Forked>;
  /** Put a command into the mailbox of a run. The same id again gets the same receipt. */
  send(run: string, command: Command, id?: string): Promise<Receipt>;
  /** The same, and wait for the entry it becomes. */
  command(row: RunRow, sent: CommandSent): Promise<Outcome>;
  /** Stop the runs of a conversation and take every trace of them away; how many there were. */
  erase(erased: Erased): Promise<number>;
  /** Have a run worked on; false where the worker beside does not know its flow. */
  takeUp(row: RunRow): Promise<boolean>;
}

export interface StartedRun {
  readonly run: string;
  readonly conversation: string;
  /** The last entry of its beginning; absent where the same was asked for before. */
  readonly head: number | undefined;
}

export function frontOf(world: Workplace, { worker }: { readonly worker?: WorkerBeside } = {}): Front {
  const { store } = world;
  const send: Front['send'] = async (run, command, id = world.newId('command')) => {
    // A command waits in the store before it becomes an entry.
    const cleaned = world.secrets.cleanAll(parsed(Command, command, 'The command'));
    return store.mailbox.send({ id, run, command: cleaned });
  };
  const command: Front['command'] = (row, sent) => commandRun({ world, worker, send }, row, sent);
  return {
    async start(request) {
      const { run, conversation, begun } = await createRun(world, request, worker?.name);
      if (begun) worker?.begin(run, begun);
      return { run, conversation, head: begun?.entries.length };
    },
    async fork(wanted) {
      const forked = await forkRun(world, wanted);
      const row = await store.dispatch.get(forked.run);
      if (row) await worker?.takeUp(row);
      return forked;
    },
    send,
    command,
    erase: (erased) => eraseConversation({ store, command, worker }, erased),
    takeUp: async (row) => (worker ? worker.takeUp(row) : true),
  };
}

/** How long a store may be unavailable before a run cannot be started, and how often it is asked meanwhile. */
const patience = 5_000;
const retryPause = 100;
const titleLength = 200;

export interface RunRequest {
  readonly app: string;
  readonly flow: Flow;
  readonly input: EventOf<'run.started'>['input'] & { readonly text: string };
  readonly conversation?: string;
  /** The conversation as whoever asks has it; then nothing of earlier runs counts. */
  readonly history?: readonly SentMessage[] | undefined;
  /** What of all this was not used, and why: said at the beginning. */
  readonly notices?: readonly Told[] | undefined;
  /** The run whose place in the conversation it takes. Its history is what that run's was. */
  readonly replaces?: string;
  /** The run it goes on after: its history is what that run's was, and that run. */
  readonly follows?: string;
  /** What it runs, where that is data. */
  readonly definition?: RunDefinition | undefined;
  readonly limits?: Limits;
  /** Who decides what it asks, where it is not whoever asks for the run. */
  readonly approvals?: Deciders | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  /** Who asks. The same key of the same tenant starts one run. */
  readonly caller?: { readonly tenant: string; readonly who: string; readonly idempotencyKey?: string };
}

type Told = Pick<EventOf<'notice.posted'>, 'code' | 'message'>;

/** A definition as a run begins with it. */
export interface RunDefinition {
  readonly tenant: string;
  readonly hash: string;
  readonly body: Json;
}

export interface CreatedRun {
  readonly run: string;
  readonly conversation: string;
  /** Absent where the same was asked for before. */
  readonly begun?: Begun;
}

/** Write the beginning of a run, for anyone to take, or with a lease for this worker. It is durable when this resolves. */
async function createRun(
  world: Workplace,
  request: RunRequest,
  worker: string | undefined,
): Promise<CreatedRun> {
  const run = world.newId('run');
  const conversation = conversationNamed(world, request.conversation);
  const { tenant, who, idempotencyKey } = request.caller ?? { tenant: localTenant, who: folderOwner };
  const { flow, app, definition } = request;
  const { text, data } = request.input;
  const beginning = { labels: request.labels ?? {}, definition: definition?.body, text, data };
  flowNamed(world.catalog.flows, flow).check?.(beginning);
  const { secrets, store, time, clock } = world;
  const { labels: wanted = {}, history: sent, notices = [] } = request;
  const asked = { input: request.input, labels: wanted, sent };
  const cleaned = await secrets.cleanLong(asked, clock.breather());
  const { input: given, labels } = cleaned;
  const owner = { tenant, run };
  const input = await keepLargeInput(store.blobs, owner, given);
  const saying = { text: given.text, history: cleaned.sent };
  const said = await guardedSaid(definition?.body, saying, clock.breather());
  const guarded =
    said.text === given.text ? undefined : (await keepLargeInput(store.blobs, owner, said)).text;
  const history = said.history && (await keepLargeHistory(store.blobs, owner, said.history));
  await patiently(world, () => time.beSure());
  const at = time.now();
  const claimed = momentOf(clock);
  const past = history ? {} : await pastOf(store, request, { tenant, conversation });
  const known = { tenant, who, conversation, input, labels, ...past, ...present({ history, guarded }) };
  const isRedacted = given !== request.input || labels !== wanted || cleaned.sent !== sent;
  const entries = beginningOf(startedWith(request, known), { worker, at, isRedacted, notices });
  const created = await create(world, {
    run,
    tenant,
    conversation,
    app,
    flow: flowId(flow),
    // A character must not be cut in two: no database gives back half of one as it was.
    title: given.text.slice(0, titleLength).toWellFormed(),
    last: entries.length,
    frames: encodeAll(entries),
    indexed: indexedAll(entries),
    ...present({ replaces: request.replaces }),
    // What the configuration says is kept for everybody.
    ...present({ definition: definition?.tenant === tenant ? definition.hash : undefined }),
    ...(worker === undefined ? {} : { claim: { worker, lease: leaseLength } }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey: keptName(world, idempotencyKey, 'sha256-') }),
  });
  if (created.created)
    return { run, conversation, begun: { entries, claimed, definition: definition?.body } };
  return { run: created.run, conversation: (await store.dispatch.get(created.run))?.conversation ?? '' };
}

type Started = Parameters<typeof beginningOf>[0];
type Known = Pick<
  Started,
  'tenant' | 'who' | 'conversation' | 'input' | 'guarded' | 'history' | 'earlier' | 'replaces'
> & {
  readonly labels: Readonly<Record<string, string>>;
};

function startedWith({ app, flow, limits = {}, approvals, definition }: RunRequest, known: Known): Started {
  const { tenant, who, conversation, input, guarded, labels, history, earlier, replaces } = known;
  return {
    tenant,
    who,
    app,
    conversation,
    input,
    flow: { name: flow.name, version: flow.version },
    limits,
    labels: { ...labels },
    ...present({ guarded, approvals, history, earlier, replaces, definition: definition?.hash }),
  };
}

function conversationNamed(world: Workplace, name: string | undefined): string {
  return name === undefined ? world.newId('conversation') : keptName(world, name, 'conversation_');
}

/** An answer that got lost may have been a yes: asked again under the same id, the store tells. */
function create(world: Workplace, wanted: NewRun): Promise<{ run: string; created: boolean }> {
  return patiently(world, async (tries) => {
    const { run, created } = await world.store.dispatch.create(wanted);
    return { run, created: created || (tries > 1 && run === wanted.run) };
  });
}

async function patiently<T>({ clock }: Workplace, ask: (tries: number) => Promise<T>): Promise<T> {
  const until = clock.worked() + patience;
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask(tries);
    } catch (thrown) {
      if (failureOf(thrown).code !== 'unavailable' || clock.worked() >= until) throw thrown;
      await clock.sleep(retryPause, new AbortController().signal);
    }
  }
}

/** What a person said, as models, later runs and searches get it: what is found is hidden, whatever else becomes of it. */
function inputGuardIn(definition: Json | undefined): Guard | undefined {
  return guardsIn(definition)?.input;
}

/** What somebody says to an app, and what was said before. */
interface Said {
  readonly text: string;
  readonly history?: readonly SentMessage[] | undefined;
}

/** The same as guards of the app let it pass, with what hangs on earlier messages. It may be long: between its parts it rests. */
async function guardedSaid(
  definition: Json | undefined,
  said: Said,
  rest: () => Promise<void>,
): Promise<Said> {
  const guard = inputGuardIn(definition);
  if (!guard) return said;
  const clean = async (text: string): Promise<string> => (await applyToLong(guard, text, rest)).text;
  const history: SentMessage[] = [];
  for (const { attachments, ...message } of said.history ?? []) {
    const hanging =
      attachments && (await Promise.all(attachments.map((one) => guardedAttachment(one, clean))));
    history.push({ ...message, text: await clean(message.text), ...present({ attachments: hanging }) });
  }
  return { text: await clean(said.text), ...present({ history: said.history && history }) };
}
