import { RunError } from '../../run/failure.ts';
import { parsed } from '../../run/values.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
import { chatError } from '../chat/chat-error.ts';
import { mostBytes } from '../openai-chat/openai-chat.ts';
import { protocol } from '../protocol.ts';
import { StartingAfter } from '../../wire/responses-request.ts';
import { afterNumber, readResponseId } from './ids.ts';
import { openAiResponsesProjection } from './projection.ts';
import { readResponses } from './request.ts';
import type { ResponsesFrame, ResponsesPlace } from './scene.ts';

export const openAiResponses = protocol<ResponsesPlace, ResponsesFrame, SseFrame>({
  name: 'openai-responses',
  projection: openAiResponsesProjection,
  write: (frame) => ({ event: frame.type, data: JSON.stringify(frame) }),
  ends: 'question',
  block: lastResponse,
  error: chatError,
  doors: [
    {
      path: '/v1/responses',
      about: 'The Responses API of OpenAI: «model» names the app.',
      bodyLimit: mostBytes,
      read: readResponses,
    },
    {
      method: 'GET',
      path: '/v1/responses/:response',
      about: 'A response as it stands, or its events after a sequence number.',
      role: 'viewer',
      read({ params: { response = '' }, query }) {
        const { run, begin } = readResponseId(response);
        const { stream, starting_after: number } = parsed(StartingAfter, query, 'The query');
        const form = stream === 'true' ? 'stream' : 'now';
        const after = number === undefined ? undefined : afterNumber(number);
        return { wants: 'follow', of: { run }, answer: begin, form, after };
      },
    },
    {
      path: '/v1/responses/:response/cancel',
      about: 'Stop the run that gives a response.',
      read: ({ params: { response = '' } }) => ({
        wants: 'stop',
        of: { run: readResponseId(response).run },
        form: 'whole',
      }),
    },
  ],
});

/** A response is told with its beginning and its end: the last of them is how it stands. */
function lastResponse(frames: readonly ResponsesFrame[]): unknown {
  const last = frames.findLast(({ response }) => response !== undefined);
  if (last) return last['response'];
  throw new RunError('unknown', 'There is no such response.');
}
