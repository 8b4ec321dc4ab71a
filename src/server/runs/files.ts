import { createHash } from 'node:crypto';
import { fileOwner, type Store } from '../../stores/store.ts';
import { blobName } from '../../stores/blob-name.ts';

/** A file as somebody gave it to us. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** What the sender said it is. Never trusted with more than a label. */
  readonly type: string;
  readonly bytes: Buffer;
  /** Whether somebody sent it; else a run keeps it. */
  readonly isSent: boolean;
}

interface Envelope {
  readonly vitrine: 'file';
  readonly name: string;
  readonly type: string;
  readonly base64: string;
}

/** A file as it is kept. */
export function envelopeOf({ name, type, bytes }: Pick<StoredFile, 'name' | 'type' | 'bytes'>): string {
  const envelope: Envelope = { vitrine: 'file', name, type, base64: bytes.toString('base64') };
  return JSON.stringify(envelope);
}

/** Keep a file that is a part of something, which nobody lists. The same file of the same tenant is one file. */
export async function keepPart(
  blobs: Pick<Store['blobs'], 'put'>,
  tenant: string,
  given: Pick<StoredFile, 'name' | 'type' | 'bytes'>,
): Promise<string> {
  const text = envelopeOf(given);
  const id = blobName(text);
  const { blob } = await blobs.put({ tenant, run: ownerOfFile(tenant, id) }, text);
  return blob;
}

/** A blob that is known to be a file. */
export function fileIn(id: string, text: string): StoredFile | undefined {
  const envelope = envelopeIn(text);
  if (!envelope) return undefined;
  const { name, type, base64 } = envelope;
  return { id, name, type, bytes: Buffer.from(base64, 'base64'), isSent: true };
}

/** A blob that runs keep beside their journals, whatever it looks like: anybody may give a run the text of a file. */
export function recordIn(id: string, text: string): StoredFile {
  const name = `${id.slice(0, 12)}.json`;
  return { id, name, type: 'application/json', bytes: Buffer.from(text), isSent: false };
}

/** Blobs belong to runs; a file belongs to a name that no run has, and no other tenant. */
export function ownerOfFile(tenant: string, id: string): string {
  return `${fileOwner}${createHash('sha256').update(tenant).digest('hex').slice(0, 16)}_${id}`;
}

function envelopeIn(text: string): Envelope | undefined {
  if (!text.startsWith('{"vitrine":"file"')) return undefined;
  const value: Partial<Envelope> = JSON.parse(text);
  const { name, type, base64 } = value;
  if (typeof name !== 'string' || typeof type !== 'string' || typeof base64 !== 'string') return undefined;
  return { vitrine: 'file', name, type, base64 };
}

/** As many characters a name may have: it becomes a header, and clients refuse large ones. */
const longestName = 200;

/** A name and not a path, without anything that acts on whoever reads it. Of one that is too long its ending is left. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  return Array.from(last.replaceAll(/\p{C}/gu, '')).slice(-longestName).join('').toWellFormed() || 'file';
}

/** Without parameters, and nothing that is no type. */
export function typeIn(header: string): string {
  const [type = ''] = header.toLowerCase().split(';', 1);
  return /^[\w.+-]+\/[\w.+-]+$/.test(type.trim()) ? type.trim() : 'application/octet-stream';
}
