import { TaskState, type Artifact, type StreamResponse } from '@a2a-js/sdk';
import type { Entry } from '../../run/events.ts';
import type { RunTree } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { answerIn, followed } from '../runs/followed.ts';
import { answerArtifact, statusOf, stepsArtifact, stepsPiece, taskOf } from './task.ts';
import { ToldAnswer } from './told-answer.ts';
import { stepNews } from './told-steps.ts';

/** A task from an entry on: as it stands first, then what becomes of it, until it has ended or asks something. */
export async function* taskEvents(
  context: ServerContext,
  row: RunRow & { readonly after: number },
  signal: AbortSignal,
): AsyncGenerator<StreamResponse, void, undefined> {
  const place = { taskId: row.run, contextId: row.conversation, metadata: undefined };
  const told = new ToldAnswer();
  let state = TaskState.TASK_STATE_UNSPECIFIED;
  let isFirst = true;
  for await (const { tree, entries } of followed(context, row, signal)) {
    const { ended } = tree;
    const status = statusOf({ row, tree });
    const whole = ended ? await answerIn(context, row.tenant, tree) : undefined;
    if (isFirst) {
      const answer = whole ?? told.begin(tree);
      yield { payload: { $case: 'task', value: taskOf({ row, tree, answer }) } };
    } else {
      const isOver = status.state !== TaskState.TASK_STATE_WORKING;
      for (const each of [
        ...stepUpdates({ row, tree, entries, isOver }),
        ...answerUpdates(told, { tree, entries, whole }),
      ])
        yield { payload: { $case: 'artifactUpdate', value: { ...place, ...each } } };
      if (status.state !== state) yield { payload: { $case: 'statusUpdate', value: { ...place, status } } };
    }
    isFirst = false;
    ({ state } = status);
  }
}

interface Update {
  readonly artifact: Artifact;
  readonly append: boolean;
  readonly lastChunk: boolean;
}

interface Became {
  readonly row: RunRow;
  readonly tree: RunTree;
  readonly entries: readonly Entry[];
  readonly isOver: boolean;
}

/** While it works, what changed; where the stream ends, all of them once more, for those who only look then. */
function stepUpdates({ row, tree, entries, isOver }: Became): readonly Update[] {
  const news = stepNews(tree, entries);
  return [
    ...(news ? [{ artifact: stepsPiece(news), append: true, lastChunk: false }] : []),
    ...(isOver ? [{ artifact: stepsArtifact(row, tree), append: false, lastChunk: true }] : []),
  ];
}

interface Written extends Pick<Became, 'tree' | 'entries'> {
  /** The answer, once it is all there. */
  readonly whole: string | undefined;
}

function answerUpdates(told: ToldAnswer, { tree, entries, whole }: Written): readonly Update[] {
  const more = told.more(tree, entries);
  const piece = (text: string, append: boolean, lastChunk: boolean): Update => ({
    artifact: answerArtifact(text),
    append,
    lastChunk,
  });
  if (whole === undefined) return more === '' ? [] : [piece(more, true, false)];
  const { text, append } = told.end(whole);
  return [piece(append ? more + text : text, append, true)];
}
