import type { Step } from '../run/tree.ts';
import { isBlobRef, type BlobRef, type Json } from '../run/values.ts';
import type { Execution } from './execution.ts';

/** Above this many characters of JSON a value is kept beside the journal, and the entry carries a reference. */
const inlineLimit = 32_768;
const previewLength = 1_200;

export async function keepLarge(execution: Execution, value: Json): Promise<BlobRef | Json> {
  const text = JSON.stringify(value);
  if (text.length <= inlineLimit) return value;
  const tenant = execution.tree.started?.tenant ?? '';
  const kept = await execution.world.store.blobs.put({ tenant, run: execution.run }, text);
  return { ...kept, preview: text.slice(0, previewLength) };
}

/** A recorded value, wherever it is kept. */
export async function loadLarge(execution: Execution, value: BlobRef | Json | undefined): Promise<Json> {
  if (value === undefined) return null;
  if (!isBlobRef(value)) return value;
  const text = await execution.world.store.blobs.get(execution.tree.started?.tenant ?? '', value.blob);
  if (text === undefined) throw new Error(`blob ${value.blob} of run ${execution.run} is missing`);
  return JSON.parse(text) as Json;
}

export function resultOf(execution: Execution, step: Step): Promise<Json> {
  return loadLarge(execution, step.result);
}
