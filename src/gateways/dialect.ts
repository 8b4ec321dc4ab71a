import type { Usage } from '../run/values.ts';
import type { AgentEvent, AgentQuestion } from './gateway.ts';

/**
 * What a protocol adds to chat completions. Its answers are whole only when `[DONE]` has come, whatever finish reason
 * came before, and are read to their end: the services that speak them keep their history after `[DONE]`.
 */
export interface Dialect {
  /** What the head of an answer says, where that matters. */
  head?(headers: Readonly<Record<string, unknown>>): void;
  /** Tells what a frame of the stream holds beside a chunk of chat; false when that is nothing. */
  take(frame: unknown, events: AgentEvent[]): boolean;
  /** An answer that came in one piece, as the frames of a stream; undefined when it is none. */
  framesOf(body: unknown): readonly unknown[] | undefined;
  /** The usage to report, where the protocol knows more of it. */
  usage(reported: Usage | undefined): Usage | undefined;
  /** What the agent wants to know of people before it goes on. */
  questions?(): readonly AgentQuestion[];
  /** What is told last of an answer, whole or not. */
  finish(events: AgentEvent[]): void;
}
