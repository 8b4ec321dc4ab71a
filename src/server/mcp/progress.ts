import type { ServerContext as McpContext } from '@modelcontextprotocol/server';
import { stepOf, type RunTree, type Step } from '../../run/tree.ts';
import type { Followed } from '../runs/followed.ts';

const told: ReadonlySet<string> = new Set([
  'step.opened',
  'step.closed',
  'step.retried',
  'approval.requested',
]);

/** Each step that begins or ends, as the progress of the call: the way to it in words, the step itself beside. */
export async function tellProgress(mcp: McpContext, { tree, entries }: Followed): Promise<void> {
  const progressToken = mcp.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  for (const { seq, event } of entries) {
    if (!told.has(event.type) || !('step' in event)) continue;
    const step = tree.steps.get(event.step);
    if (!step || step.id === 0) continue;
    const { id, parent, kind, title, status, agent } = step;
    const message = `${wayTo(tree, step)}: ${status}`;
    const _meta = { 'vitrine/step': { id, parent, kind, title, status, agent } };
    await mcp.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress: seq, message, _meta },
    });
  }
}

function wayTo(tree: RunTree, step: Step): string {
  const titles = [step.title || step.key];
  for (let at = step; at.parent !== 0;) {
    at = stepOf(tree, at.parent);
    titles.unshift(at.title || at.key);
  }
  return titles.join(' › ');
}
