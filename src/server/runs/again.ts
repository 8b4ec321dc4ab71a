import { RunError } from '../../run/failure.ts';
import { isBlobRef, type Attachment, type BlobRef, type Limits } from '../../run/values.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import type { OwnConversation } from './own-conversation.ts';
import { missing, ownRun } from './quotas.ts';
import { startedOf } from './run-edges.ts';

/** What a run was asked, to be asked again in its place. */
export interface AskedAgain {
  readonly replaces: string;
  readonly app: string;
  readonly input: { readonly text: string };
  readonly attached: readonly Attachment[];
  readonly conversation: string;
  readonly begins: true;
  readonly limits: Limits;
  readonly labels: Record<string, string>;
}

interface Meant {
  readonly again: string;
  /** The conversation that was named with it. */
  readonly named: OwnConversation | undefined;
}

/** A run of the caller's own. Whether its place can be taken is for the store to say, in the moment it is taken. */
export async function sameAgainAs(
  context: ServerContext,
  caller: Caller,
  { again, named }: Meant,
): Promise<AskedAgain> {
  const row = await ownRun({ context, caller }, again);
  const started = row && (await startedOf(context, row));
  if (!row || !started) throw missing('run', again);
  const { who, app, input, conversation, limits, labels } = started;
  if (who !== caller.who)
    throw new RunError('refused', `Run ${row.run} was asked for by ${who}: only they can ask for it again.`);
  if (named !== undefined && named.id !== conversation)
    throw new RunError('rejected', `Run ${row.run} is of the conversation ${conversation}, and of no other.`);
  const text = await whole(context, caller.tenant, input.text);
  const attached: Attachment[] = [];
  for (const { blob, ...rest } of input.attachments ?? [])
    attached.push(blob ? { ...rest, data: await whole(context, caller.tenant, blob) } : rest);
  return { replaces: row.run, app, input: { text }, attached, conversation, begins: true, limits, labels };
}

/** A text, wherever it is kept. */
async function whole(context: ServerContext, tenant: string, value: string | BlobRef): Promise<string> {
  if (!isBlobRef(value)) return value;
  const kept = await context.home.blobs.get(tenant, value.blob);
  const text: unknown = kept === undefined ? undefined : JSON.parse(kept);
  if (typeof text === 'string') return text;
  throw new RunError('unknown', 'What this run was asked is not there any more: send it as «input».');
}
