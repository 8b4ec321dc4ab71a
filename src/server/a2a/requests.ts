import type { ListTasksRequest, ListTasksResponse, Task } from '@a2a-js/sdk';
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { stopOf } from '../../front/same-again.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import type { App } from '../folder/home.ts';
import { answerIn, followed } from '../runs/followed.ts';
import { missing, ownRun } from '../runs/quotas.ts';
import { agentCard } from './agent-card.ts';
import { taken } from './message.ts';
import { taskEvents } from './task-events.ts';
import { taskOf } from './task.ts';

export interface Asked {
  readonly context: ServerContext;
  readonly caller: Caller;
  readonly app: App;
  /** Where the app is spoken to. */
  readonly url: string;
  /** Aborts when they leave. That means nothing to the run. */
  readonly signal: AbortSignal;
}

/** An app as an agent: a task is a run, a context is a conversation, and everything that is told of a task is computed from its journal. */
export function a2aRequests(asked: Asked): A2ARequestHandler {
  const { context, app, url, signal } = asked;
  const row = (id: string): Promise<RunRow> => taskRow(asked, id);
  return {
    ...noPushes,
    getAgentCard: async () => agentCard(app, url),
    async getAuthenticatedExtendedAgentCard() {
      throw new UnsupportedOperationError('There is no extended card: the card of an app says all there is.');
    },
    sendMessage: (request) =>
      readably(asked, async () => {
        const { row: begun, after } = await taken(asked, row, request);
        if (request.configuration?.returnImmediately !== true)
          await rest(context, { ...begun, after }, signal);
        expectStill(asked);
        return taskNow(asked, begun.run);
      }),
    async *sendMessageStream(request) {
      const { row: begun, after } = await readably(asked, () => taken(asked, row, request));
      yield* taskEvents(context, { ...begun, after }, signal);
    },
    getTask: ({ id }) => readably(asked, () => taskNow(asked, id)),
    listTasks: (request) => readably(asked, () => list(asked, request)),
    cancelTask: ({ id }) => readably(asked, () => cancel(asked, id)),
    async *resubscribe({ id }) {
      const found = await readably(asked, () => row(id));
      if (found.state === 'ended')
        throw new UnsupportedOperationError(`Task ${id} has ended: ask for it instead.`);
      yield* taskEvents(context, { ...found, after: found.head }, signal);
    },
  };
}

/** It may have taken long: whoever may not look any more is told nothing. */
function expectStill({ context, caller }: Asked): void {
  if (context.door.mayStay(caller)) return;
  throw new RunError('unauthenticated', 'The key that this was asked with is not valid any more.');
}

/** Resolves when a run has ended, or waits for a person. */
async function rest(
  context: ServerContext,
  row: RunRow & { readonly after: number },
  signal: AbortSignal,
): Promise<void> {
  const told = followed(context, row, signal);
  while (!(await told.next()).done);
}

async function taskRow({ context, caller, app }: Asked, id: string): Promise<RunRow> {
  const row = await ownRun({ context, caller }, id);
  if (row?.app !== app.name) throw missing('task', id);
  return row;
}

async function taskNow(asked: Asked, id: string): Promise<Task> {
  const { context, app } = asked;
  const row = await taskRow(asked, id);
  const tree = await context.trees.shown(row, { preferences: context.home.preferences(app.name) });
  return taskOf({ row, tree, answer: await answerIn(context, row.tenant, tree) });
}

async function cancel(asked: Asked, id: string): Promise<Task> {
  const { context, caller, signal } = asked;
  const row = await taskRow(asked, id);
  if (row.state === 'ended') throw new TaskNotCancelableError(`Task ${id} has ended already.`);
  const command = { type: 'stop', by: caller.who, reason: 'cancelled by an A2A client' } as const;
  await context.home.front.command(row, { command, id: stopOf(id) });
  for await (const { tree } of followed(context, { ...row, after: row.head }, signal)) if (tree.ended) break;
  return taskNow(asked, id);
}

async function noPush(): Promise<never> {
  const message = 'Follow the task, or ask for it: nothing is pushed from here.';
  throw new PushNotificationNotSupportedError(message);
}

const noPushes = {
  createTaskPushNotificationConfig: noPush,
  getTaskPushNotificationConfig: noPush,
  listTaskPushNotificationConfigs: noPush,
  deleteTaskPushNotificationConfig: noPush,
};

/** A failure of ours as one of the protocol; what is a bug stays here. */
async function readably<T>({ context }: Asked, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof A2AError) throw thrown;
    const { code, message } = failureOf(thrown);
    if (!(thrown instanceof RunError)) context.log.problem('A request of an A2A client failed.', thrown);
    const cleaned = context.hide(context.home.clean(message));
    if (code === 'unknown') throw new TaskNotFoundError(cleaned);
    if (code === 'malformed') throw new RequestMalformedError(cleaned);
    if (code === 'internal') throw new A2AError('Something went wrong inside Vitrine.');
    throw new UnsupportedOperationError(cleaned);
  }
}

/** The newest first, a page of them. */
async function list(
  asked: Asked,
  { contextId, pageSize = 50, pageToken }: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { context, caller, app } = asked;
  const limit = Math.min(Math.max(pageSize, 1), 100);
  const rows = await context.home.dispatch.list({
    tenant: caller.tenant,
    app: app.name,
    limit: limit + 1,
    ...(contextId === '' ? {} : { conversation: contextId }),
    ...(pageToken === '' ? {} : { after: pageToken }),
  });
  const shown = rows.slice(0, limit);
  const tasks: Task[] = [];
  for (const row of shown) tasks.push({ ...(await taskNow(asked, row.run)), artifacts: [] });
  const nextPageToken = rows.length > limit ? (shown.at(-1)?.run ?? '') : '';
  return { tasks, nextPageToken, pageSize: limit, totalSize: tasks.length };
}
