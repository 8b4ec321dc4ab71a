import { sseTexts, type SseFrame } from './sse-frame.ts';

/** A frame of a protocol that is not text. */
export interface BinaryFrame {
  readonly event?: string;
  readonly data: Uint8Array;
  readonly id?: number;
}

/** A message of a protocol, before it has the form of a connection. */
export type WireFrame = SseFrame | BinaryFrame;

/** How frames look on one kind of connection. */
export interface Framing {
  /** Those who get the same bytes have the same name. */
  readonly name: string;
  /** What is written. Of a binary form, each character is a byte. */
  readonly text: (frames: readonly WireFrame[]) => string;
  readonly isBinary: boolean;
  /** The content type of a response that has it. */
  readonly type: string;
}

export const sse: Framing = {
  name: 'sse',
  text: (frames) => sseTexts(frames.map(asText)),
  isBinary: false,
  type: 'text/event-stream; charset=utf-8',
};

/** Frames one after the other, with nothing between them: they say themselves where they end. */
export const bytes: Framing = {
  name: 'bytes',
  text: (frames) => frames.map(({ data }) => bytesOf(data)).join(''),
  isBinary: true,
  type: 'application/octet-stream',
};

/** Server-sent events are text: whoever asks for them gets bytes written as text. */
function asText({ data, ...frame }: WireFrame): SseFrame {
  return { ...frame, data: typeof data === 'string' ? data : btoa(bytesOf(data)) };
}

/** Text, or bytes, with a byte in each character. */
export function bytesOf(data: string | Uint8Array): string {
  const given = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  let text = '';
  // A call takes so many arguments and no more.
  for (let at = 0; at < given.length; at += 8_192)
    text += String.fromCharCode(...given.subarray(at, at + 8_192));
  return text;
}
