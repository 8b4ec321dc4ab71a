import { RunError } from '../../run/failure.ts';
import type { Attachment } from '../../run/values.ts';
import type { GivenAttachment } from '../../wire/native/attachment.ts';
import { fileOf } from './files.ts';
import type { ServerContext } from '../context.ts';
import type { Use } from './kept-files.ts';
import { missing } from './owner.ts';

/** Of all that comes with one message. Naming a file is short, and it may be named again and again. */
const most = 32 * 1024 * 1024;

export async function attachmentsOf(
  context: ServerContext,
  tenant: string,
  given: readonly GivenAttachment[] = [],
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const one of given) {
    attachments.push(await attachmentOf(context, tenant, one));
    if (sizeOf({ attachments }) > most)
      throw new RunError('too-large', `What is attached has more than ${most} bytes: attach less at once.`);
  }
  return attachments;
}

/** The files that come with a message are its conversation's, too. */
export async function usesFiles(
  { home: { uploads } }: ServerContext,
  { attachments = [], ...use }: Use & { readonly attachments?: readonly GivenAttachment[] | undefined },
): Promise<void> {
  const files = attachments.flatMap(({ file }) => file ?? []);
  if (files.length > 0) await uploads.files.use(use, files);
}

/** About how many bytes it takes to keep this. */
export function sizeOf({
  text = '',
  attachments = [],
}: {
  readonly text?: string;
  readonly attachments?: readonly Attachment[];
}): number {
  return attachments.reduce((bytes, { data = '' }) => bytes + data.length, Buffer.byteLength(text));
}

async function attachmentOf(
  context: ServerContext,
  tenant: string,
  { file, type, ...rest }: GivenAttachment,
): Promise<Attachment> {
  if (file === undefined) return { type: type ?? 'text/plain', ...rest };
  const found = await fileOf(context.home.blobs, tenant, file);
  if (!found) throw missing('file', file);
  const isText = found.type.startsWith('text/') || found.type === 'application/json';
  const data = found.bytes.toString(isText ? 'utf8' : 'base64');
  return { type: type ?? found.type, title: found.name, ...rest, data };
}
