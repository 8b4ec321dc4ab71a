import type { Step } from '../../run/tree.ts';
import { isBlobRef, type Attachment, type BlobRef, type Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import type { Blobs } from '../../stores/store.ts';
import { type EventOf, SentMessage } from '../../run/events.ts';
import { present, filled } from '../../run/codec.ts';
import { z } from 'zod';
import type { RunInput } from '../scope.ts';
import type { AgentEvent } from '../../gateways/gateway.ts';

/** Above this many characters of JSON a value is kept beside the journal, and the entry carries a reference. */
const inlineLimit = 32_768;
const previewLength = 1_200;

/** Whether an entry cannot carry a value itself. */
export function isLarge(value: Json): boolean {
  // What only looks like a reference must never be read as one: it could name what another run has kept.
  return isBlobRef(value) || JSON.stringify(value).length > inlineLimit;
}

/** The value as an entry carries it. */
export async function keepLarge(execution: Execution, given: Json): Promise<BlobRef | Json> {
  const { guarding } = execution;
  return keepClean(execution, isLarge(given) ? await cleanLarge(execution, given) : guarding.cleanAll(given));
}

/** A large value as it may be recorded: others are served while it is looked at. */
export async function cleanLarge<T>(execution: Pick<Execution, 'world' | 'guarding'>, value: T): Promise<T> {
  return (await execution.guarding.cleanLong(value, execution.world.clock.breather())).value;
}

/** The same of a value that is clean. */
export async function keepClean(execution: Execution, value: Json): Promise<BlobRef | Json> {
  if (!isLarge(value)) return value;
  const text = JSON.stringify(value);
  const owner = { tenant: execution.tree.started?.tenant ?? '', run: execution.run };
  const kept = await execution.insist(() => execution.world.store.blobs.put(owner, text));
  return { ...kept, preview: previewOf(text) };
}

/** An attachment as an entry carries it. */
export async function keepAttachment(execution: Execution, attachment: Attachment): Promise<Attachment> {
  const { data, ...rest } = attachment;
  if (data === undefined || !isLarge(data)) return attachment;
  const kept = await keepLarge(execution, data);
  return isBlobRef(kept) ? { ...rest, blob: kept } : attachment;
}

export function previewOf(text: string): string {
  return text.slice(0, previewLength);
}

/** A recorded value, wherever it is kept, as a copy of its own: a flow may change what it gets. */
export async function loadLarge(execution: Execution, value: BlobRef | Json | undefined): Promise<Json> {
  if (value === undefined) return null;
  if (!isBlobRef(value)) return plain(value);
  const tenant = execution.tree.started?.tenant ?? '';
  const text = await execution.insist(() => execution.world.store.blobs.get(tenant, value.blob));
  if (text !== undefined) return JSON.parse(text) as Json;
  const message = `What this run recorded as blob ${value.blob} is not in the store; bring it back and resume.`;
  return execution.setAside('RESULT_MISSING', message);
}

export function resultOf(execution: Execution, step: Step): Promise<Json> {
  return loadLarge(execution, step.result);
}

/** A value as a recovery will see it. What JSON cannot hold must not be there the first time either. */
export function plain(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as Json);
}

type Owner = Parameters<Blobs['put']>[0];
type Input = EventOf<'run.started'>['input'];

/** What a person sent, with all that is large kept beside the journal. */
export async function keepLargeInput(
  blobs: Blobs,
  owner: Owner,
  { text, attachments, data: given }: Input & { readonly text: string },
): Promise<Input> {
  const kept = isLarge(text) ? await keep(blobs, owner, text) : text;
  const data = given !== undefined && isLarge(given) ? await keep(blobs, owner, given) : given;
  if (!attachments) return { text: kept, ...present({ data }) };
  return {
    text: kept,
    attachments: await Promise.all(attachments.map((one) => keepData(blobs, owner, one))),
    ...present({ data }),
  };
}

/** A conversation that a client sent, with all that is large kept beside the journal. */
export async function keepLargeHistory(
  blobs: Blobs,
  owner: Owner,
  messages: readonly SentMessage[],
): Promise<NonNullable<EventOf<'run.started'>['history']>> {
  const kept: SentMessage[] = [];
  for (const { attachments, ...message } of messages) {
    const hanging = await Promise.all((attachments ?? []).map((one) => keepData(blobs, owner, one)));
    kept.push({ ...message, ...present({ attachments: filled(hanging) }) });
  }
  const text = JSON.stringify(kept);
  if (!isLarge(kept as unknown as Json)) return kept;
  const said = messages.map((message) => message.text).join('\n');
  return { ...(await blobs.put(owner, text)), preview: previewOf(said) };
}

/** The same again. */
export async function loadHistory(
  execution: Execution,
  kept: NonNullable<EventOf<'run.started'>['history']>,
): Promise<readonly SentMessage[]> {
  return z.array(SentMessage).parse(await loadLarge(execution, kept as unknown as Json));
}

/** The same again, as it was sent. */
export async function loadInput(
  execution: Execution,
  { text, attachments = [], data }: Input,
): Promise<Pick<RunInput, 'text' | 'attachments' | 'data'>> {
  return {
    text: await textOf(execution, text),
    attachments: await Promise.all(attachments.map((one) => loadData(execution, one))),
    ...present({ data: data === undefined ? undefined : await loadLarge(execution, data) }),
  };
}

/** An attachment as it is kept: what is large stands beside it. */
export async function keepData(
  blobs: Blobs,
  owner: Owner,
  { data, ...rest }: Attachment,
): Promise<Attachment> {
  if (data === undefined) return rest;
  return isLarge(data) ? { ...rest, blob: await keep(blobs, owner, data) } : { ...rest, data };
}

async function loadData(execution: Execution, { blob, ...rest }: Attachment): Promise<Attachment> {
  return blob === undefined ? rest : { ...rest, data: await textOf(execution, blob) };
}

async function keep(blobs: Blobs, owner: Owner, value: Json): Promise<BlobRef> {
  const text = JSON.stringify(value);
  const preview = previewOf(typeof value === 'string' ? value : text);
  return { ...(await blobs.put(owner, text)), preview };
}

async function textOf(execution: Execution, value: string | BlobRef): Promise<string> {
  const text = await loadLarge(execution, value);
  return typeof text === 'string' ? text : JSON.stringify(text);
}

type Attaching = Extract<AgentEvent, { type: 'item.attached' | 'stage.attached' }>;

/** Whether one of these events attaches what an entry cannot carry itself. */
export function hasLargeItem(events: readonly AgentEvent[]): boolean {
  return events.some((event) => isAttaching(event) && isLarge(attachmentOf(event)?.data ?? ''));
}

/** The same events, with references in place of what is large. */
export function withKeptItems(
  execution: Execution,
  events: readonly AgentEvent[],
): Promise<readonly AgentEvent[]> {
  return Promise.all(
    events.map(async (event) => {
      const attachment = isAttaching(event) ? attachmentOf(event) : undefined;
      if (!isAttaching(event) || !attachment) return event;
      return {
        ...event,
        item: { kind: 'attachment', attachment: await keepAttachment(execution, attachment) },
      };
    }),
  );
}

function isAttaching(event: AgentEvent): event is Attaching {
  return event.type === 'item.attached' || event.type === 'stage.attached';
}

function attachmentOf({ item }: Attaching): Attachment | undefined {
  return item.kind === 'attachment' ? item.attachment : undefined;
}
