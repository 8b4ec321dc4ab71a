// An agent of A2A as strangers write one: with the official SDK's own server, doing what a test says.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { AgentCard, formatSSEErrorEvent, formatSSEEvent, Role, TaskState, type Part } from '@a2a-js/sdk';
import { TaskNotCancelableError } from '@a2a-js/sdk/errors';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { onTestFinished } from 'vitest';
import { textPart } from '../src/wire/a2a.ts';

/** What an agent does with a message of a task. */
export interface AtWork {
  readonly text: string;
  /** Which message of the task this is, counted from 0. */
  readonly message: number;
  readonly status: (state: TaskState, words?: string) => void;
  readonly artifact: (id: string, parts: readonly Part[], append?: boolean) => void;
  /** Breaks off the connection that its client has now; the task goes on. */
  readonly cut: () => void;
}

export interface A2aAgent {
  readonly url: string;
  /** Which methods were asked for, in order. */
  readonly asked: readonly string[];
}

interface Does {
  readonly works: (at: AtWork) => Promise<void>;
  /** Whether it stops when it is told to; unless said it does. */
  readonly cancels?: boolean;
  /** Called when somebody follows a task again, once they are told of it. */
  readonly subscribed?: () => void;
  /** Waited for before a message is looked at. */
  readonly before?: () => Promise<void>;
}

export async function openA2aAgent(does: Does): Promise<A2aAgent> {
  const asked: string[] = [];
  let last: ServerResponse | undefined;
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void answered(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent/`;
  const executor = executorOf(does, () => void last?.destroy());
  const handler = new DefaultRequestHandler(cardOf(url), new InMemoryTaskStore(), executor);
  const transport = new JsonRpcTransportHandler(handler);

  async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return void response.end(JSON.stringify(AgentCard.toJSON(cardOf(url))));
    const body = (await json(request)) as { method: string; id: number };
    asked.push(body.method);
    if (body.method.startsWith('Send')) {
      await does.before?.();
      last = response;
    }
    const answer = await transport.handle(body, new ServerCallContext({ requestedVersion: '1.0' }));
    if (!(Symbol.asyncIterator in answer)) return void response.end(JSON.stringify(answer));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    try {
      for await (const event of answer) {
        response.write(formatSSEEvent(event));
        if (body.method === 'SubscribeToTask') does.subscribed?.();
      }
    } catch (thrown) {
      const error = JsonRpcTransportHandler.mapToJSONRPCError(thrown);
      response.write(formatSSEErrorEvent({ jsonrpc: '2.0', id: body.id, error }));
    }
    response.end();
  }
  return { url, asked };
}

function executorOf({ works, cancels = true }: Does, cut: () => void): AgentExecutor {
  const counts = new Map<string, number>();
  const places = new Map<string, string>();
  return {
    async execute({ taskId, contextId, task, userMessage }: RequestContext, bus: ExecutionEventBus) {
      const count = counts.get(taskId) ?? 0;
      counts.set(taskId, count + 1);
      places.set(taskId, contextId);
      const place = { taskId, contextId, metadata: undefined };
      const status = (state: TaskState, words?: string) => ({
        state,
        timestamp: undefined,
        message: words === undefined ? undefined : messageOf(words, { taskId, contextId }),
      });
      const begun = { id: taskId, contextId, artifacts: [], history: [], metadata: undefined };
      bus.publish(AgentEvent.task({ ...(task ?? begun), status: status(TaskState.TASK_STATE_WORKING) }));
      await works({
        text: userMessage.parts.map(({ content }) => String(content?.value)).join(''),
        message: count,
        status: (state, words) =>
          bus.publish(AgentEvent.statusUpdate({ ...place, status: status(state, words) })),
        artifact(artifactId, parts, append = false) {
          const about = { name: '', description: '', metadata: undefined, extensions: [] };
          const artifact = { artifactId, parts: [...parts], ...about };
          bus.publish(AgentEvent.artifactUpdate({ ...place, append, lastChunk: false, artifact }));
        },
        cut,
      });
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      if (!cancels) throw new TaskNotCancelableError(`Task ${taskId} is not to be cancelled.`);
      const status = { state: TaskState.TASK_STATE_CANCELED, timestamp: undefined, message: undefined };
      const contextId = places.get(taskId) ?? '';
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    },
  };
}

function messageOf(words: string, place: { readonly taskId: string; readonly contextId: string }) {
  const about = { messageId: crypto.randomUUID(), role: Role.ROLE_AGENT, metadata: undefined };
  return { ...about, ...place, parts: [textPart(words)], extensions: [], referenceTaskIds: [] };
}

function cardOf(url: string): AgentCard {
  const modes = ['text/plain'];
  return {
    name: 'stranger',
    description: 'Somebody else’s.',
    version: '1',
    provider: undefined,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [],
    signatures: [],
  };
}
