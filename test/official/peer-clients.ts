// The official clients of other protocols' servers, unmodified: a call of MCP, a task of A2A.
import { setTimeout } from 'node:timers/promises';
import { Role, TaskState, type Part, type SendMessageRequest, type StreamResponse } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { answerArtifactId, stepsArtifactId, TaskSteps, textPart, type TaskStep } from '../../src/wire/a2a.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { pathsOf } from './paths.ts';
import { untilUp, type Begin, type Seen, type Watcher } from './watchers.ts';

export const peerClients: Readonly<Record<string, Begin>> = { mcp: callApp, a2a: giveTask };

/** A call tells of its steps as progress and says nothing before its end. Whose call broke off reads the run. */
async function callApp(url: string, text: string): Promise<Watcher> {
  const client = await connected(url);
  const agreed = Promise.withResolvers<void>();
  let seen: Seen = { status: 'running', answer: '', paths: [] };
  client.setRequestHandler('elicitation/create', async () => {
    seen = { ...seen, status: 'waiting' };
    await agreed.promise;
    return { action: 'accept', content: { decision: 'approve' } };
  });
  const leaving = new AbortController();
  const onprogress = ({ message = '' }): void => void (seen = withProgress(seen, message));
  const options = { signal: leaving.signal, onprogress, resetTimeoutOnProgress: true };
  const calling = client.callTool({ name: 'team', arguments: { text } }, options);
  const { uri, run } = await resourceOf(client, text);
  const over = (async (): Promise<void> => {
    await Promise.race([calling, cutOff(url)]).catch(() => undefined);
    await client.close().catch(() => undefined);
    seen = await readToEnd(url, uri);
  })();
  const approve = async (): Promise<void> => agreed.resolve();
  return { run, over, seen: () => seen, approve, stop: async () => leaving.abort() };
}

function withProgress({ answer, paths, status }: Seen, message: string): Seen {
  const [way = '', isNow] = message.split(': ');
  const path = way.split(' › ');
  const isKnown = paths.some((known) => known.join() === path.join());
  return {
    answer,
    paths: isKnown ? paths : [...paths, path],
    status: isNow === 'running' ? isNow : status,
  };
}

async function readToEnd(url: string, uri: string): Promise<Seen> {
  await untilUp(url);
  const client = await connected(url);
  for (;;) {
    const { contents } = await client.readResource({ uri });
    const { status, answer, steps } = JSON.parse((contents[0] as { text: string }).text) as FlatTree;
    if (status === 'running' || status === 'waiting') {
      await setTimeout(50);
      continue;
    }
    await client.close();
    return { status, answer: typeof answer === 'string' ? answer : '', paths: pathsOf(steps) };
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client(
    { name: 'official', version: '1' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: { elicitation: { form: {} } },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return client;
}

/** A client of MCP does not look at the end of its stream: whoever uses it looks whether the server is there. */
async function cutOff(url: string): Promise<never> {
  for (;;) {
    await fetch(`${url}/healthz`);
    await setTimeout(50);
  }
}

async function resourceOf(client: Client, text: string): Promise<{ uri: string; run: string }> {
  for (;;) {
    const { resources } = await client.listResources();
    const uri = resources.find(({ name }) => name === text)?.uri;
    if (uri !== undefined) return { uri, run: uri.slice(uri.lastIndexOf('/') + 1) };
  }
}

/**
 * A task is followed to its question, and again with the answer; whose stream broke off subscribes again. Each of the two can be
 * cut off after so many events.
 */
export async function giveTask(url: string, text: string, cuts: readonly number[] = []): Promise<Watcher> {
  const agent = await new ClientFactory().createFromUrl(`${url}/a2a/team/`);
  const events: StreamResponse[] = [];
  const task = Promise.withResolvers<{ readonly id: string; readonly contextId: string }>();
  const agreed = Promise.withResolvers<SendMessageRequest>();
  const hear = async (stream: AsyncIterable<StreamResponse>, most = Infinity): Promise<void> => {
    let had = 0;
    for await (const event of stream) {
      events.push(event);
      if (event.payload?.$case === 'task') task.resolve(event.payload.value);
      if ((had += 1) === most) return;
    }
  };
  const followed = async (): Promise<void> => {
    while (seenIn(events).status === 'running') {
      await untilUp(url);
      const { id } = await task.promise;
      await hear(agent.resubscribeTask({ tenant: '', id })).catch(async () => {
        // One that has ended has no stream any more: it is asked for.
        const value = await agent.getTask({ tenant: '', id, historyLength: undefined });
        events.push({ payload: { $case: 'task', value } });
      });
    }
  };
  const over = (async (): Promise<void> => {
    await hear(agent.sendMessageStream(saying(text)), cuts[0]);
    await followed();
    const decided = await agreed.promise;
    await hear(agent.sendMessageStream(decided), cuts[1]).catch(() => undefined);
    await followed();
  })();
  const { id, contextId } = await task.promise;
  return {
    run: id,
    over,
    seen: () => seenIn(events),
    async approve() {
      const words = JSON.stringify(statusIn(events)?.message?.parts);
      const [approve = ''] = /approve [0-9a-f]{32}/.exec(words) ?? [];
      agreed.resolve(saying(approve, { taskId: id, contextId }));
    },
    stop: async () => void (await agent.cancelTask({ tenant: '', id, metadata: undefined })),
  };
}

/** A message to an agent. */
export function saying(text: string, more: object = {}): SendMessageRequest {
  const place = { messageId: crypto.randomUUID(), contextId: '', taskId: '', ...more };
  const about = { role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [] };
  const sent = { ...place, ...about, parts: [textPart(text)] };
  return { tenant: '', message: sent, configuration: undefined, metadata: undefined };
}

const statuses: Partial<Record<TaskState, string>> = {
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'waiting',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_CANCELED]: 'stopped',
  [TaskState.TASK_STATE_FAILED]: 'failed',
};

function seenIn(events: readonly StreamResponse[]): Seen {
  const steps = new Map<number, TaskStep>();
  for (const { content } of artifactIn(events, stepsArtifactId))
    for (const step of TaskSteps.parse(content?.value).steps) steps.set(step.id, step);
  const answer = artifactIn(events, answerArtifactId).map(({ content }) => String(content?.value));
  return {
    status: statuses[statusIn(events)?.state ?? TaskState.TASK_STATE_WORKING] ?? 'running',
    answer: answer.join(''),
    paths: pathsOf([...steps.values()]),
  };
}

/** How a task stands, by what was told of it last. */
export function statusIn(events: readonly StreamResponse[]) {
  const found = events.flatMap(({ payload }) =>
    payload?.$case === 'statusUpdate' || payload?.$case === 'task' ? [payload.value.status] : [],
  );
  return found.at(-1);
}

/** An artifact as a client has it that keeps to the protocol: pieces are added, or take the place of what was there. */
export function artifactIn(events: readonly StreamResponse[], name: string): readonly Part[] {
  let parts: readonly Part[] = [];
  for (const { payload } of events) {
    if (payload?.$case === 'task')
      parts = payload.value.artifacts.find(({ artifactId }) => artifactId === name)?.parts ?? [];
    if (payload?.$case !== 'artifactUpdate' || payload.value.artifact?.artifactId !== name) continue;
    parts = [...(payload.value.append ? parts : []), ...payload.value.artifact.parts];
  }
  return parts;
}
