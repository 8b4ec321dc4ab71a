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
          const line = rest.finish(bytes.subarray(start, end));
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
  const finish = (bytes: Uint8Array): Uint8Array | undefined => {
    if (length === 0 && !isCut) return bytes.length > limit ? undefined : bytes;
    const line = keep(bytes) ? kept.subarray(0, length) : undefined;
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

  const read = (line: Uint8Array, tell: (event: SseEvent) => void, skip: () => void): void => {
    if (line.length === 0) return finish(tell);
    const end = line.indexOf(colon);
    if (end === 0) return;
    const value =
      end === -1 ? line.subarray(line.length) : line.subarray(line[end + 1] === space ? end + 2 : end + 1);
    const name = end === -1 ? line : line.subarray(0, end);
    if (isData(name)) return append(value, skip);
    const field = decoder.decode(name);
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

/** Nearly every line is data; comparing bytes saves a decoding for each. */
function isData(name: Uint8Array): boolean {
  return name.length === 4 && name[0] === 100 && name[1] === 97 && name[2] === 116 && name[3] === 97;
}

function withoutMark(line: Uint8Array): Uint8Array {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}
