import { frame } from './sse-frame.ts';

/** Frames of a DIAL stream, as the SDK sends them. */

const envelope = { id: 'c1', created: 1_794_773_022, object: 'chat.completion.chunk' } as const;

const chunk = (delta: unknown, finish: string | null = null, rest: object = { usage: null }): string =>
  frame({ choices: [{ index: 0, finish_reason: finish, delta }], ...rest, ...envelope });

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

export const dial = {
  role: chunk({ role: 'assistant' }),
  text: (content: string): string => chunk({ content }),
  custom: (content: unknown): string => chunk({ custom_content: content }),
  stage: (...pieces: unknown[]): string => chunk({ custom_content: { stages: pieces } }),
  attachment: (attachment: unknown): string => chunk({ custom_content: { attachments: [attachment] } }),
  state: (state: unknown): string => chunk({ custom_content: { state } }),
  delta: chunk,
  stop: chunk({}, 'stop'),
  last: (rest: object = {}): string => chunk({}, 'stop', { usage, ...rest }),
  error: (error: unknown): string => frame({ error }),
  heartbeat: ': heartbeat\n\n',
  done: 'data: [DONE]\n\n',
};
