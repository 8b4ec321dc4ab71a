import type { Form } from './piece.ts';

/** Frames as the messages of a WebSocket, ready for the wire: `{"id":…,"event":…,"data":…}` each. */
export const wholeMessages: Form = (frames) => messages(frames, wholeOf);

/** The same for clients that expect the data alone. */
export const bareMessages: Form = (frames) => messages(frames, dataOf);

function messages(frames: string, textOf: (frame: string) => string): Buffer {
  const each = frames.split('\n\n').filter((frame) => frame !== '');
  return Buffer.concat(each.flatMap((frame) => messageOf(textOf(frame))));
}

function wholeOf(frame: string): string {
  const parts: string[] = [];
  const id = fieldOf(frame, 'id');
  const event = fieldOf(frame, 'event');
  if (id !== undefined) parts.push(`"id":${id}`);
  if (event !== undefined) parts.push(`"event":${JSON.stringify(event)}`);
  parts.push(`"data":${dataOf(frame)}`);
  return `{${parts.join(',')}}`;
}

function fieldOf(frame: string, name: string): string | undefined {
  return frame
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}

function dataOf(frame: string): string {
  return frame
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice(6))
    .join('\n');
}

/** A whole text message, as a server sends it: not masked, not compressed. */
function messageOf(text: string): readonly Buffer[] {
  const payload = Buffer.from(text);
  const { length } = payload;
  if (length < 126) return [Buffer.from([textFrame, length]), payload];
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = textFrame;
  if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return [head, payload];
}

const textFrame = 0x81;
