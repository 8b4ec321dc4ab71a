import type { EventOf } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { isBlobRef, type Attachment, type BlobRef, type Json, type Limits } from '../../run/values.ts';
import { blobName } from '../../stores/blob-name.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Caller } from '../access/honest.ts';
import { startKey } from '../../front/same-again.ts';
import type { ServerContext } from '../context.ts';
import { decodeAll } from '../../run/entries.ts';

/** What somebody wants begun. */
export interface WantedRun {
  readonly app: string;
  readonly input: {
    readonly text: string;
    readonly attachments?: readonly Attachment[];
    readonly data?: Json;
  };
  readonly conversation?: string;
  readonly limits: Limits;
  readonly labels?: Readonly<Record<string, string>>;
  readonly replaces?: string;
  /** The conversation as the client sent it. */
  readonly history?: readonly { readonly role: string; readonly text: string }[];
}

/** The run that somebody began with an idempotency key. */
export async function startedWith(
  context: ServerContext,
  caller: Caller,
  key: string,
): Promise<RunRow | undefined> {
  const { tenant, who } = caller;
  const { dispatch } = context.home.store;
  const own = await dispatch.find({ tenant, idempotencyKey: startKey(who, key) });
  if (own) return own;
  // Earlier versions kept the key as it came.
  const old = await dispatch.find({ tenant, idempotencyKey: key });
  return old && (await context.trees.of(old)).started?.who === who ? old : undefined;
}

/** The run that an idempotency key began, if exactly this was asked then; else `rejected`. */
export async function sameRun(
  context: ServerContext,
  run: string,
  asked: WantedRun,
): Promise<{ readonly run: string; readonly conversation: string }> {
  // What was recorded has no secrets in it.
  const wanted = context.home.secrets.cleanAll(asked);
  const [chunk] = await context.home.journal.read(run, 0);
  const first = chunk && decodeAll(chunk.frames)[0]?.event;
  if (first?.type === 'run.started') {
    const { app, input, conversation, limits, labels, replaces, history } = first;
    const isTheSame =
      app === wanted.app &&
      replaces === wanted.replaces &&
      isSame(input.text, wanted.input.text) &&
      areSame(input.attachments ?? [], wanted.input.attachments ?? []) &&
      isSame(input.data, wanted.input.data) &&
      (wanted.conversation === undefined || wanted.conversation === conversation) &&
      isSameHistory(history, wanted.history) &&
      isEqual(limits, wanted.limits) &&
      isEqual(labels, wanted.labels ?? {});
    if (isTheSame) return { run, conversation };
  }
  throw new RunError(
    'rejected',
    `The idempotency key began run ${run}, which was asked something else: use another key.`,
  );
}

/** Of one that was kept as a whole, only that there was one is known here. */
function isSameHistory(kept: EventOf<'run.started'>['history'], sent: WantedRun['history']): boolean {
  if (!Array.isArray(kept)) return (kept === undefined) === (sent === undefined);
  return (
    kept.length === sent?.length &&
    kept.every(({ role, text }, i) => role === sent[i]?.role && isSame(text, sent[i].text))
  );
}

function areSame(kept: readonly Attachment[], wanted: readonly Attachment[]): boolean {
  return (
    kept.length === wanted.length &&
    kept.every(({ blob, data, ...rest }, i) => {
      const { data: other, ...others } = wanted[i] ?? { type: '' };
      return isEqual(rest, others) && isSame(blob ?? data, other);
    })
  );
}

/** What is large is kept under the hash of what it is. */
function isSame(kept: Json | BlobRef | undefined, wanted: Json | undefined): boolean {
  if (kept === undefined || wanted === undefined) return kept === wanted;
  const text = JSON.stringify(wanted);
  return isBlobRef(kept) ? kept.blob === blobName(text) : JSON.stringify(kept) === text;
}

function isEqual(one: object, other: object): boolean {
  const entries = Object.entries(one);
  const others = new Map(Object.entries(other));
  return entries.length === others.size && entries.every(([name, value]) => others.get(name) === value);
}
