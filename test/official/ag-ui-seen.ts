// What a client of AG-UI shows of a run, and how it joins one again.
import {
  HttpAgent,
  runHttpRequest,
  transformHttpEventStream,
  type Message,
  type RunAgentInput,
} from '@ag-ui/client';
import { pathsBy } from './paths.ts';

/** The official client, and how it joins a run again: what it leaves to whoever uses it. */
export class Joining extends HttpAgent {
  protected override connect(input: RunAgentInput): ReturnType<HttpAgent['run']> {
    const url = this.url.replace(/(\?|$)/, '/connect$1');
    return transformHttpEventStream(runHttpRequest(() => this.fetch(url, this.requestInit(input))));
  }
}

interface Has {
  readonly messages: readonly Message[];
}

export function pathsIn({ messages }: Has): string[][] {
  const activity = messages.find(({ role, id }) => role === 'activity' && id.endsWith('-steps'));
  const { steps = {} } = (activity?.content ?? {}) as {
    steps?: Record<string, { parent?: string; title: string }>;
  };
  return pathsBy(new Map(Object.entries(steps)));
}

export function answerIn({ messages }: Has): unknown {
  const own = messages.filter(
    (message) => message.role === 'assistant' && message.subagentRunId === undefined,
  );
  return own.findLast(({ content }) => content !== undefined)?.content;
}
