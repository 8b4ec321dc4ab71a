import { keptName } from '../engine/record/kept-name.ts';
import { isLarge, previewOf, keepLargeInput } from '../engine/record/recordable.ts';
import type { Workplace } from '../engine/world.ts';
import type { Entry, EventOf, RunEvent } from '../run/events.ts';
import { indexedAll } from '../run/facts.ts';
import { RunError } from '../run/failure.ts';
import { referencesIn, isBlobRef, type BlobRef, type Json, flowId } from '../run/values.ts';
import type { Blobs } from '../stores/store.ts';
import { encodeAll } from '../run/entries.ts';
import { present } from '../run/tree.ts';

type Owner = Parameters<Blobs['put']>[0];
type Started = Omit<EventOf<'run.started'>, 'type'>;

/** A run that begins with what is known already. */
export interface Fork {
  /** As it is recorded; whose values it has is said there. */
  readonly started: Started;
  /** What is kept, once the run has its name. */
  readonly kept: (run: string) => readonly RunEvent[];
  /** What it begins with, where that is of its own. */
  readonly input?: Parameters<typeof keepLargeInput>[2] | undefined;
  /** What lists call it, where that is not what it was asked. */
  readonly title?: string | undefined;
  /** What it runs, where that is of its own. */
  readonly definition?: Json | undefined;
  /** The same key of the same tenant gives the same run. */
  readonly idempotencyKey?: string | undefined;
}

export interface Forked {
  readonly run: string;
  readonly conversation: string;
}

/**
 * Write a run whose first entries are what another has recorded. Whoever takes it finds a run that was cut off there: what is
 * closed is recalled, what is open goes on.
 */
export async function forkRun(world: Workplace, fork: Fork): Promise<Forked> {
  const { store, time } = world;
  const run = world.newId('run');
  const { tenant, conversation, app, flow } = fork.started;
  const owner = { tenant, run };
  const own = fork.definition === undefined ? undefined : JSON.stringify(fork.definition);
  const definition = own === undefined ? fork.started.definition : (await store.blobs.put(owner, own)).blob;
  const kept: RunEvent[] = [];
  for (const event of fork.kept(run)) kept.push(await slim(world, owner, event));
  const input = fork.input ? await keepLargeInput(store.blobs, owner, fork.input) : fork.started.input;
  const started: RunEvent = { type: 'run.started', ...fork.started, input, ...present({ definition }) };
  for (const blob of new Set([started, ...kept].flatMap(referencesIn).map((reference) => reference.blob)))
    await keepFor(world, owner, blob);
  await time.beSure();
  const at = time.now();
  const events = [counting(started, kept.length + 1), ...kept];
  const entries = events.map((event, i): Entry => ({ seq: i + 1, at, event }));
  const created = await store.dispatch.create({
    run,
    tenant,
    conversation,
    app,
    flow: flowId(flow),
    title: titleOf(fork.title ?? input.text),
    last: entries.length,
    frames: encodeAll(entries),
    indexed: indexedAll(entries),
    ...present({ definition: await ownBlob(world, tenant, definition) }),
    ...present({
      idempotencyKey: fork.idempotencyKey && keptName(world, fork.idempotencyKey, 'sha256-'),
    }),
  });
  return { run: created.run, conversation };
}

const titleLength = 200;

function titleOf(text: string | BlobRef): string {
  return (typeof text === 'string' ? text : (text.preview ?? '')).slice(0, titleLength).toWellFormed();
}

/** What is known of a step may be large. */
async function slim({ store }: Workplace, owner: Owner, event: RunEvent): Promise<RunEvent> {
  if (event.type !== 'step.closed' || event.result === undefined) return event;
  if (isBlobRef(event.result) || !isLarge(event.result)) return event;
  const text = JSON.stringify(event.result);
  return { ...event, result: { ...(await store.blobs.put(owner, text)), preview: previewOf(text) } };
}

/** How much of it is another's: what comes later is its own. */
function counting(started: RunEvent, kept: number): RunEvent {
  if (started.type !== 'run.started' || !started.forkedFrom) return started;
  return { ...started, forkedFrom: { ...started.forkedFrom, kept } };
}

/** A blob goes with the last run that refers to it, so this one refers to it, too. */
async function keepFor({ store }: Workplace, owner: Owner, blob: string): Promise<void> {
  const text = await store.blobs.get(owner.tenant, blob);
  if (text === undefined)
    throw new RunError(
      'unknown',
      `What the run recorded as blob ${blob.slice(0, 12)} is not there any more.`,
    );
  await store.blobs.put(owner, text);
}

/** What the configuration says is kept for everybody. */
async function ownBlob(
  { store }: Workplace,
  tenant: string,
  blob: string | undefined,
): Promise<string | undefined> {
  if (blob === undefined) return undefined;
  return (await store.blobs.get(tenant, blob)) === undefined ? undefined : blob;
}
