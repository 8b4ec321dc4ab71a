import { encodeAll } from '../run/codec.ts';
import type { Deciders } from '../run/deciders.ts';
import type { EventOf, SentMessage } from '../run/events.ts';
import { indexedAll } from '../run/facts.ts';
import { failureOf } from '../run/failure.ts';
import { folderOwner, localTenant } from '../run/owner.ts';
import { present } from '../run/present.ts';
import type { Json, Limits } from '../run/values.ts';
import type { NewRun } from '../stores/store.ts';
import { pastOf } from '../engine/conversation/conversation.ts';
import { beginningOf, type Begun } from '../engine/recovery/beginning.ts';
import { flowId, flowOf } from '../engine/flow-id.ts';
import { guardedSaid } from '../engine/record/guarded-said.ts';
import { keptName } from '../engine/record/kept-name.ts';
import { keepLargeHistory, keepLargeInput } from '../engine/record/large-input.ts';
import { leaseLength, momentOf } from '../engine/time/lease.ts';
import type { Flow } from '../engine/scope.ts';
import type { Workplace } from '../engine/world.ts';

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
export async function createRun(
  world: Workplace,
  request: RunRequest,
  worker: string | undefined,
): Promise<CreatedRun> {
  const run = world.newId('run');
  const conversation = conversationNamed(world, request.conversation);
  const { tenant, who, idempotencyKey } = request.caller ?? { tenant: localTenant, who: folderOwner };
  const { flow, app, definition } = request;
  const { text, data } = request.input;
  flowOf(world, flow).check?.({ labels: request.labels ?? {}, definition: definition?.body, text, data });
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
