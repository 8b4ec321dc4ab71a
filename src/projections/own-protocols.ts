import type { SseFrame } from '../wire/sse-frame.ts';
import { consoleProjection } from './console/console.ts';
import { dottedConsoleProjection } from './console/dotted.ts';
import { executionProjection } from './execution/execution.ts';
import { protocol, type Protocol } from './protocol.ts';
import { stepsData, stepsProjection } from './steps.ts';

/** The protocols of the server, by the name a viewer asks for. */
export const ownProtocols = {
  steps: protocol({
    name: 'steps',
    projection: () => stepsProjection,
    write: (entry) => ({ data: stepsData(entry) }),
  }),
  console: protocol({ name: 'console', projection: consoleProjection, write: named }),
  'console-dotted': protocol({ name: 'console-dotted', projection: dottedConsoleProjection, write: named }),
  /** The envelope names its event itself, so that its frames are the same on a WebSocket. */
  execution: protocol({
    name: 'execution',
    projection: executionProjection,
    write: (frame) => ({ data: JSON.stringify(frame) }),
  }),
} as const satisfies Readonly<Record<string, Protocol<SseFrame>>>;

function named({ event, data }: { readonly event: string; readonly data: object }): Omit<SseFrame, 'id'> {
  return { event, data: JSON.stringify(data) };
}
