import type { SseFrame } from '../wire/sse-frame.ts';
import { dottedConsoleProjection } from './console/dotted.ts';
import { consoleProjection } from './console/console.ts';
import { executionProjection } from './execution/execution.ts';
import { telling } from './frames.ts';
import type { Preferences, Telling } from './projection.ts';
import { stepsData, stepsProjection } from './steps.ts';

export interface ViewOptions {
  readonly run: string;
  readonly preferences?: Preferences;
  /** Of a console: the number of the last card of the conversation's earlier runs. */
  readonly cardsBefore?: number;
}

type Teller = (options: ViewOptions) => Telling<SseFrame>;

/** The protocols of the server, by the name a viewer asks for. */
export const ownProtocols = {
  steps: ({ preferences }) =>
    telling({ projection: stepsProjection, write: (entry) => ({ data: stepsData(entry) }) }, preferences),
  console: ({ preferences, ...options }) =>
    telling({ projection: consoleProjection(options), write: named }, preferences),
  'console-dotted': ({ preferences, ...options }) =>
    telling({ projection: dottedConsoleProjection(options), write: named }, preferences),
  /** The envelope names its event itself, so that its frames are the same on a WebSocket. */
  execution: ({ preferences, run }) =>
    telling(
      { projection: executionProjection({ run }), write: (frame) => ({ data: JSON.stringify(frame) }) },
      preferences,
    ),
} as const satisfies Readonly<Record<string, Teller>>;

function named({ event, data }: { readonly event: string; readonly data: object }): Omit<SseFrame, 'id'> {
  return { event, data: JSON.stringify(data) };
}
