import type { Entry, EventOf, RunEvent } from './events.ts';
import { upcast } from './upcast.ts';

/**
 * Entries as text. The journal keeps exactly the frames the native stream sends, so replaying is concatenation and a
 * cursor is a cut. Streamed text is nearly all of it and has a short form.
 */
export function encode(entry: Entry): string {
  const { seq, at, jump, event } = entry;
  // Nearly all entries are these, and an object would only be made to be read once.
  if (jump === undefined && isPlainText(event))
    return `id: ${seq}\ndata: {"t":${at},"s":${event.step},"x":${JSON.stringify(event.text)}}\n\n`;
  return `id: ${seq}\ndata: ${JSON.stringify(shorten(entry))}\n\n`;
}

export function encodeAll(entries: readonly Entry[]): string {
  let frames = '';
  for (const entry of entries) frames += encode(entry);
  return frames;
}

export function decodeAll(frames: string): Entry[] {
  const entries: Entry[] = [];
  for (const frame of frames.split('\n\n')) if (frame !== '') entries.push(decode(frame));
  return entries;
}

/** The frames after a cursor. No line break can stand inside a frame's JSON, so the next id is found as text. */
export function framesAfter(frames: string, seq: number): string {
  if (seq < Number(frames.slice(4, frames.indexOf('\n')))) return frames;
  const place = frames.indexOf(`\nid: ${seq + 1}\n`);
  return place < 0 ? '' : frames.slice(place + 1);
}

function decode(frame: string): Entry {
  const line = frame.indexOf('\n');
  return entryOf(Number(frame.slice(4, line)), frame.slice(line + 7));
}

/** The entry of a frame: its id, and what stands in its data. */
export function entryOf(seq: number, data: string): Entry {
  const { t, j, s, x, e } = JSON.parse(data) as Short;
  if (x !== undefined && s !== undefined) {
    return { seq, at: t, event: { type: 'text.appended', step: s, channel: 'content', text: x } };
  }
  return j === undefined ? { seq, at: t, event: upcast(e) } : { seq, at: t, jump: j, event: upcast(e) };
}

interface Short {
  readonly t: number;
  readonly j?: number;
  readonly s?: number;
  readonly x?: string;
  readonly e?: RunEvent;
}

function shorten({ at, jump, event }: Entry): Short {
  const e = event.type === 'unknown' ? (event.original as RunEvent) : event;
  return jump === undefined ? { t: at, e } : { t: at, j: jump, e };
}

/** Only what the short form can carry: anything more would be lost in it. */
function isPlainText(event: RunEvent): event is EventOf<'text.appended'> {
  if (event.type !== 'text.appended' || event.channel !== 'content') return false;
  return event.call === undefined && event.tool === undefined;
}

/** Without the fields that have nothing in them, so that JSON and comparison see only what is there. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value as Exclude<T[typeof name], undefined>;
  }
  return kept;
}

/** A text or list, if there is anything in it. */
export function filled<T extends { readonly length: number }>(value: T): T | undefined {
  return value.length > 0 ? value : undefined;
}
