import { blobName } from '../blob-name.ts';
import type { Desk } from './desk.ts';
import type { Needs } from './needs.ts';

export interface NewBlob {
  readonly owner: { readonly tenant: string; readonly run: string };
  readonly text: string;
}

/** A run's input is put before the run is created, so the owner need not exist yet. */
export function put(
  { tables }: Desk,
  { owner, text }: NewBlob,
): { readonly blob: string; readonly size: number } {
  // Half a surrogate pair has no UTF-8 bytes: it would come back from disk as another text than the hash was made of.
  const whole = text.toWellFormed();
  const blob = blobName(whole);
  tables.addBlob(owner, blob, whole);
  return { blob, size: Buffer.byteLength(whole, 'utf8') };
}

export function putNeeds({ owner, text }: NewBlob): Needs {
  return { blobs: [{ ...owner, blob: blobName(text) }] };
}

export function blob(
  { tables }: Desk,
  wanted: { readonly tenant: string; readonly blob: string },
): string | undefined {
  return tables.blob(wanted.tenant, wanted.blob);
}

export function blobNeeds(text: { readonly tenant: string; readonly blob: string }): Needs {
  return { text };
}

export function held({ tables }: Desk, tenant: string): number {
  return tables.held(tenant);
}

export function heldNeeds(held: string): Needs {
  return { held };
}
