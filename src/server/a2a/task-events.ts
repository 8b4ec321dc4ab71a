import { TaskState, type StreamResponse } from '@a2a-js/sdk';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { answerIn, followed } from '../runs/followed.ts';
import { answerArtifact, statusOf, stepsArtifact, taskOf } from './task.ts';

/** How often the tree of steps may be sent whole, on the clock of the entries. Milliseconds. */
const stepsEvery = 500;

/** A task from an entry on: as it stands first, then what becomes of it, until it has ended or asks something. */
export async function* taskEvents(
  context: ServerContext,
  row: RunRow & { readonly after: number },
  signal: AbortSignal,
): AsyncGenerator<StreamResponse, void, undefined> {
  const place = { taskId: row.run, contextId: row.conversation, metadata: undefined };
  let sentAt: number | undefined;
  let state = TaskState.TASK_STATE_UNSPECIFIED;
  for await (const { tree, entries } of followed(context, row, signal)) {
    const status = statusOf({ row, tree });
    if (sentAt === undefined) {
      const answered = await answerIn(context, row.tenant, tree);
      yield { payload: { $case: 'task', value: taskOf({ row, tree, answer: answered }) } };
      [sentAt, state] = [tree.at, status.state];
      continue;
    }
    const isOver = status.state !== TaskState.TASK_STATE_WORKING;
    if (entries.some(isStepChange) && (isOver || tree.at - sentAt >= stepsEvery)) {
      yield {
        payload: {
          $case: 'artifactUpdate',
          value: { ...place, artifact: stepsArtifact(row, tree), append: false, lastChunk: isOver },
        },
      };
      sentAt = tree.at;
    }
    if (tree.ended) {
      const artifact = answerArtifact(await answerIn(context, row.tenant, tree));
      yield {
        payload: { $case: 'artifactUpdate', value: { ...place, artifact, append: false, lastChunk: true } },
      };
    }
    if (status.state !== state) yield { payload: { $case: 'statusUpdate', value: { ...place, status } } };
    state = status.state;
  }
}

const stepChanges: ReadonlySet<string> = new Set([
  'step.planned',
  'step.opened',
  'step.started',
  'step.closed',
  'step.retried',
  'item.attached',
  'approval.requested',
  'approval.decided',
  'notice.posted',
  'run.ended',
]);

function isStepChange({ event }: { readonly event: { readonly type: string } }): boolean {
  return stepChanges.has(event.type);
}
