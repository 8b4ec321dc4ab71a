import { z } from 'zod';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { answerIn } from '../runs/followed.ts';

/** One message of a conversation, as the original keeps it. */
export const HistoryRow = z.object({
  id: z.string(),
  external_id: z.string(),
  sender: z.enum(['user', 'orion']),
  content: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
});
export type HistoryRow = z.infer<typeof HistoryRow>;

/** Two rows for each run, whatever became of it: its clients count on that when they ask for more. */
export async function rowsOf(
  context: ServerContext,
  row: RunRow,
  externalId: string,
): Promise<readonly HistoryRow[]> {
  const tree = await context.trees.of(row);
  const { started, ended } = tree;
  const asked = started?.input.text ?? '';
  const text = typeof asked === 'string' ? asked : await blobText(context, row.tenant, asked);
  const answer = (await answerIn(context, row.tenant, tree)) || (ended?.failure?.message ?? '');
  const metadata = { ...started?.labels, runId: row.run, status: ended?.outcome ?? 'running' };
  const shared = { external_id: externalId, metadata };
  const begun = new Date(tree.startedAt ?? row.createdAt).toISOString();
  const over = new Date(tree.endedAt ?? tree.at).toISOString();
  return [
    {
      id: `${row.run}-orion`,
      sender: 'orion',
      content: answer,
      created_at: over,
      updated_at: over,
      ...shared,
    },
    { id: `${row.run}-user`, sender: 'user', content: text, created_at: begun, updated_at: begun, ...shared },
  ];
}

async function blobText(
  { home }: Pick<ServerContext, 'home'>,
  tenant: string,
  { blob, preview = '' }: { readonly blob: string; readonly preview?: string | undefined },
): Promise<string> {
  const kept = await home.blobs.get(tenant, blob);
  const text: unknown = kept === undefined ? preview : JSON.parse(kept);
  return typeof text === 'string' ? text : preview;
}
