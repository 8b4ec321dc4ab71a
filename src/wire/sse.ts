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
  /** Tells every event these bytes complete. Throws `SseTooLarge` before anything longer than the limit is kept. */
  read(bytes: Uint8Array, tell: (event: SseEvent) => void): void;
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
  let isFirst = true;
  let isAfterReturn = false;

  return {
    get retry() {
      return lines.retry;
    },
    read(bytes, tell) {
      let start = 0;
      let feed = bytes.indexOf(lineFeed);
      let back = bytes.indexOf(carriageReturn);
      while (feed !== -1 || back !== -1) {
        const end = back === -1 || (feed !== -1 && feed < back) ? feed : back;
        const isSecondHalf = isAfterReturn && end === feed && end === start;
        isAfterReturn = end === back;
        if (!isSecondHalf) {
          const line = rest.finish(bytes.subarray(start, end));
          lines.read(isFirst ? withoutMark(line) : line, tell);
          isFirst = false;
        }
        start = end + 1;
        if (end === feed) feed = bytes.indexOf(lineFeed, start);
        else back = bytes.indexOf(carriageReturn, start);
      }
      if (start === bytes.length) return;
      isAfterReturn = false;
      rest.keep(bytes.subarray(start));
    },
  };
}

/** The bytes of a line whose end has not come. They are copied, since a slice would hold the whole chunk in memory. */
function unfinishedLine(limit: number) {
  let kept = new Uint8Array(0);
  let length = 0;

  const keep = (bytes: Uint8Array): void => {
    const total = length + bytes.length;
    if (total > limit) throw new SseTooLarge(limit);
    if (total > kept.length) {
      const larger = new Uint8Array(Math.max(total, kept.length * 2));
      larger.set(kept.subarray(0, length));
      kept = larger;
    }
    kept.set(bytes, length);
    length = total;
  };
  const finish = (bytes: Uint8Array): Uint8Array => {
    if (length === 0) {
      if (bytes.length > limit) throw new SseTooLarge(limit);
      return bytes;
    }
    keep(bytes);
    const line = kept.subarray(0, length);
    length = 0;
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

  const append = (value: Uint8Array): void => {
    size += value.length + 1;
    if (size > limit + 1) throw new SseTooLarge(limit);
    const text = decoder.decode(value);
    data = data === undefined ? text : `${data}\n${text}`;
  };
  const finish = (tell: (event: SseEvent) => void): void => {
    const told = data === undefined ? undefined : { event: event === '' ? 'message' : event, data, id };
    data = undefined;
    size = 0;
    event = '';
    if (told !== undefined) tell(told);
  };

  const read = (line: Uint8Array, tell: (event: SseEvent) => void): void => {
    if (line.length === 0) return finish(tell);
    const end = line.indexOf(colon);
    if (end === 0) return;
    const value =
      end === -1 ? line.subarray(line.length) : line.subarray(line[end + 1] === space ? end + 2 : end + 1);
    const name = end === -1 ? line : line.subarray(0, end);
    if (isData(name)) return append(value);
    const field = decoder.decode(name);
    if (field === 'event') event = decoder.decode(value);
    if (field === 'id' && !value.includes(0)) id = decoder.decode(value);
    if (field === 'retry' && /^\d{1,9}$/.test(decoder.decode(value))) retry = Number(decoder.decode(value));
  };
  return {
    read,
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
