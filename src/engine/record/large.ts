import type { Step } from '../../run/tree.ts';
import { isBlobRef, type Attachment, type BlobRef, type Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { plain } from './plain.ts';

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
