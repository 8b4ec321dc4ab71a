import { bytesOf, type Framing, type WireFrame } from '../../wire/framing.ts';
import type { Form } from './channel.ts';

/** Frames as the messages of a WebSocket, ready for the wire: `{"id":…,"event":…,"data":…}` each. */
export const wholeMessages: Framing = messages('socket', (frame) => {
  if (typeof frame.data !== 'string') return frame.data;
  const { id, event, data } = frame;
  const name = event === undefined ? '' : `"event":${JSON.stringify(event)},`;
  return `{${id === undefined ? '' : `"id":${id},`}${name}"data":${data}}`;
});

/** The same for clients that expect the data alone. */
export const bareMessages: Framing = messages('bare socket', ({ data }) => data);

function messages(name: string, write: (frame: WireFrame) => string | Uint8Array): Framing {
  return {
    name,
    isBinary: true,
    type: '',
    text: (frames) => frames.map((frame) => messageOf(write(frame))).join(''),
  };
}

/** A text as one message. */
export const textMessage: Form = (text) => {
  const payload = Buffer.from(text);
  return Buffer.concat([headOf(textFrame, payload.length), payload]);
};

const textFrame = 0x81;
const binaryFrame = 0x82;

/** A whole message, as a server sends it: not masked, not compressed. */
function messageOf(message: string | Uint8Array): string {
  const payload = bytesOf(message);
  return `${bytesOf(headOf(typeof message === 'string' ? textFrame : binaryFrame, payload.length))}${payload}`;
}

function headOf(kind: number, length: number): Uint8Array {
  if (length < 126) return Uint8Array.of(kind, length);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = kind;
  head[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
