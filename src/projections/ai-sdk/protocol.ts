import type { Framing } from '../../wire/framing.ts';
import { aiSdkDone, aiSdkHeaders } from '../../wire/ai-sdk.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
import type { Protocol } from '../projection.ts';
import { protocol } from '../protocol.ts';
import { aiSdkProjection } from './ai-sdk.ts';
import { aiSdkDoors } from './doors.ts';
import type { AiSdkFrame, AiSdkPlace } from './scene.ts';

/** Front ends that are made with the AI SDK. */
export const aiSdkProtocol: Protocol<SseFrame, Framing> = protocol<AiSdkPlace, AiSdkFrame, SseFrame>({
  name: 'ai-sdk',
  projection: aiSdkProjection,
  write: (frame) => ({ data: frame === aiSdkDone ? frame : JSON.stringify(frame) }),
  ends: 'question',
  // Clients show the text of a refusal as it is.
  error: ({ message }) => ({ error: message }),
  doors: aiSdkDoors,
  stream: { headers: aiSdkHeaders },
});
