import { z } from 'zod';
import { SentMessage, type EventOf } from '../../run/events.ts';
import { filled, present } from '../../run/present.ts';
import type { Attachment, BlobRef, Json } from '../../run/values.ts';
import type { Blobs } from '../../stores/store.ts';
import type { Execution } from '../execution.ts';
import type { RunInput } from '../scope.ts';
import { isLarge, loadLarge, previewOf } from './large.ts';

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
