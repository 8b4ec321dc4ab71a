import type { SseFrame } from '../wire/sse-frame.ts';
import { agUiProtocol } from './ag-ui/protocol.ts';
import { aiSdkProtocol } from './ai-sdk/protocol.ts';
import { a2uiProtocols } from './a2ui/a2ui.ts';
import { consoleProjection, dottedConsoleProjection } from './console/run.ts';
import { dial } from './dial/dial.ts';
import { executionProjection } from './execution/execution.ts';
import { twoStageProtocol } from './two-stage/two-stage.ts';
import { openAiChat } from './openai-chat/openai-chat.ts';
import { openAiResponses } from './openai-responses/openai-responses.ts';
import type { Framing } from '../wire/framing.ts';
import type { Protocol } from './projection.ts';
import { protocol } from './protocol.ts';
import { stepsProtocol } from './steps.ts';

/** The protocols of the server, by the name a viewer asks for. */
export const ownProtocols = {
  steps: stepsProtocol,
  console: protocol({ name: 'console', projection: consoleProjection, write: named }),
  'console-dotted': protocol({ name: 'console-dotted', projection: dottedConsoleProjection, write: named }),
  /** The envelope names its event itself, so that its frames are the same on a WebSocket. */
  execution: protocol({
    name: 'execution',
    projection: executionProjection,
    write: (frame) => ({ data: JSON.stringify(frame) }),
  }),
  dial,
  'ag-ui': agUiProtocol(),
  'ai-sdk': aiSdkProtocol,
  ...a2uiProtocols,
  'two-stage': twoStageProtocol,
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
} as const satisfies Readonly<Record<string, Protocol<SseFrame, Framing>>>;

function named({ event, data }: { readonly event: string; readonly data: object }): Omit<SseFrame, 'id'> {
  return { event, data: JSON.stringify(data) };
}
