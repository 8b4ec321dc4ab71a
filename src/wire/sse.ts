/** One event of a `text/event-stream`. `id` is the last one the stream gave, as a reconnecting client must send it. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** A line or an event that is longer than we are willing to keep. What came before it has been told. */
export class SseTooLarge extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`A server-sent event is longer than ${limit} bytes.`);
    this.name = 'SseTooLarge';
    this.limit = limit;
  }
}

export interface SseReader {
  /**
   * Tells every event these bytes complete. Of an event longer than the limit nothing more is kept: `skip` is told of it and
   * the next one is read, or else `SseTooLarge` is thrown.
   */
  read(bytes: Uint8Array, tell: (event: SseEvent) => void, skip?: () => void): void;
  /** How long the stream wants its reader to wait before coming back, if it has said so. Milliseconds. */
  readonly retry: number | undefined;
}

const lineFeed = 10;
const carriageReturn = 13;
const colon = 58;
const space = 32;

/** Reads server-sent events from bytes that may be cut anywhere: any cut of the same bytes gives the same events. */
export function sseReader(limit = 1024 * 1024): SseReader {
  const lines = lineReader(limit);
  const rest = unfinishedLine(limit);
  const tooLarge = (): never => {
    throw new SseTooLarge(limit);
  };
  let isFirst = true;
  let isAfterReturn = false;

  return {
    get retry() {
      return lines.retry;
    },
    read(bytes, tell, skip = tooLarge) {
      let start = 0;
      let feed = bytes.indexOf(lineFeed);
      let back = bytes.indexOf(carriageReturn);
      while (feed !== -1 || back !== -1) {
        const end = back === -1 || (feed !== -1 && feed < back) ? feed : back;
        const isSecondHalf = isAfterReturn && end === feed && end === start;
        isAfterReturn = end === back;
        if (!isSecondHalf) {
          const line = rest.finish(bytes, start, end);
          if (line === undefined) lines.drop(skip);
          else lines.read(isFirst ? withoutMark(line) : line, tell, skip);
          isFirst = false;
        }
        start = end + 1;
        if (end === feed) feed = bytes.indexOf(lineFeed, start);
        else back = bytes.indexOf(carriageReturn, start);
      }
      if (start === bytes.length) return;
      isAfterReturn = false;
      if (!rest.keep(bytes.subarray(start))) lines.drop(skip);
    },
  };
}

/** A line is a place in bytes: to cut one out costs more than to read it. */
interface Line {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes of a line whose end has not come. They are copied, since a slice would hold the whole chunk in memory. Of one
 * that is too long nothing is kept.
 */
function unfinishedLine(limit: number) {
  let kept = new Uint8Array(0);
  let length = 0;
  let isCut = false;

  /** False once the line is too long. */
  const keep = (bytes: Uint8Array): boolean => {
    const total = length + bytes.length;
    isCut ||= total > limit;
    if (isCut) {
      kept = new Uint8Array(0);
      length = 0;
      return false;
    }
    if (total > kept.length) {
      const larger = new Uint8Array(Math.max(total, kept.length * 2));
      larger.set(kept.subarray(0, length));
      kept = larger;
    }
    kept.set(bytes, length);
    length = total;
    return true;
  };
  /** Undefined of a line that was too long. */
  const finish = (bytes: Uint8Array, start: number, end: number): Line | undefined => {
    if (length === 0 && !isCut) return end - start > limit ? undefined : { bytes, start, end };
    const line = keep(bytes.subarray(start, end)) ? { bytes: kept, start: 0, end: length } : undefined;
    length = 0;
    isCut = false;
    return line;
  };
  return { keep, finish };
}

/** Puts lines together to events, each line read whole, so that no character is ever cut. */
function lineReader(limit: number) {
  // A mark is cut off the first line by hand: left to the decoder it would go from the start of every value.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let data: string | undefined;
  let size = 0;
  let event = '';
  let id = '';
  let retry: number | undefined;
  let isDropped = false;

  /** Nothing of the event that is being read is told. */
  const drop = (skip: () => void): void => {
    if (!isDropped) skip();
    isDropped = true;
    data = undefined;
  };
  const append = (value: Uint8Array, skip: () => void): void => {
    size += value.length + 1;
    if (isDropped || size > limit + 1) return drop(skip);
    const text = decoder.decode(value);
    data = data === undefined ? text : `${data}\n${text}`;
  };
  const finish = (tell: (event: SseEvent) => void): void => {
    const told = data === undefined ? undefined : { event: event === '' ? 'message' : event, data, id };
    data = undefined;
    size = 0;
    event = '';
    isDropped = false;
    if (told !== undefined) tell(told);
  };

  const read = (line: Line, tell: (event: SseEvent) => void, skip: () => void): void => {
    const { bytes, start, end } = line;
    if (start === end) return finish(tell);
    const stop = nameEnd(line);
    if (stop === start) return;
    const first = stop === end ? end : bytes[stop + 1] === space ? stop + 2 : stop + 1;
    const value = bytes.subarray(Math.min(first, end), end);
    if (isData(line, stop)) return append(value, skip);
    const field = decoder.decode(bytes.subarray(start, stop));
    if (field === 'event') event = decoder.decode(value);
    if (field === 'id' && !value.includes(0)) id = decoder.decode(value);
    if (field === 'retry' && /^\d{1,9}$/.test(decoder.decode(value))) retry = Number(decoder.decode(value));
  };
  return {
    read,
    drop,
    get retry() {
      return retry;
    },
  };
}

/** Where the name of a field ends: at the first colon, or with the line. */
function nameEnd({ bytes, start, end }: Line): number {
  let at = start;
  while (at < end && bytes[at] !== colon) at += 1;
  return at;
}

/** Nearly every line is data; comparing bytes saves a decoding for each. */
function isData({ bytes, start }: Line, stop: number): boolean {
  if (stop !== start + 4 || bytes[start] !== 100) return false;
  return bytes[start + 1] === 97 && bytes[start + 2] === 116 && bytes[start + 3] === 97;
}

function withoutMark({ bytes, start, end }: Line): Line {
  const isMark = bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
  return isMark && end - start >= 3 ? { bytes, start: start + 3, end } : { bytes, start, end };
}
