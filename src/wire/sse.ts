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
/** Of a byte order mark. */
const firstOfMark = 0xef;

/** Without a state of its own: what it is given is whole. A mark is cut off the first line by hand. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads server-sent events from bytes that may be cut anywhere: any cut of the same bytes gives the same events. */
export function sseReader(limit = 1024 * 1024): SseReader {
  return new EventReader(limit);
}

class EventReader implements SseReader {
  retry: number | undefined;
  readonly #limit: number;
  readonly #rest: UnfinishedLine;
  #isFirst = true;
  #isAfterReturn = false;
  /** Of the event that is being read. */
  #data: string | undefined;
  #size = 0;
  #event = '';
  #id = '';
  #isDropped = false;

  constructor(limit: number) {
    this.#limit = limit;
    this.#rest = new UnfinishedLine(limit);
  }

  read(bytes: Uint8Array, tell: (event: SseEvent) => void, skip: () => void = this.#tooLarge): void {
    const text = this.#isWhole(bytes) ? decoder.decode(bytes) : undefined;
    if (text === undefined || text.includes('\r')) return this.#readCut(bytes, tell, skip);
    this.#isFirst = false;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      // No line of it is too long, whatever its bytes: all of it is not.
      if (end === start) this.#finish(tell);
      else this.#take(text.slice(start, end), 0, skip);
      start = end + 1;
    }
  }

  /** Nearly all that comes is whole events. They are decoded at once, and lines are places in a text. */
  #isWhole(bytes: Uint8Array): boolean {
    if (this.#isAfterReturn || this.#size > 0 || this.#isDropped || !this.#rest.isEmpty) return false;
    if (this.#isFirst && bytes[0] === firstOfMark) return false;
    const { length } = bytes;
    return length <= this.#limit && bytes[length - 1] === lineFeed && bytes[length - 2] === lineFeed;
  }

  #readCut(bytes: Uint8Array, tell: (event: SseEvent) => void, skip: () => void): void {
    let start = 0;
    let feed = bytes.indexOf(lineFeed);
    let back = bytes.indexOf(carriageReturn);
    while (feed !== -1 || back !== -1) {
      const end = back === -1 || (feed !== -1 && feed < back) ? feed : back;
      const isSecondHalf = this.#isAfterReturn && end === feed && end === start;
      this.#isAfterReturn = end === back;
      if (!isSecondHalf) {
        this.#readLine(this.#rest.finish(bytes.subarray(start, end)), tell, skip);
        this.#isFirst = false;
      }
      start = end + 1;
      if (end === feed) feed = bytes.indexOf(lineFeed, start);
      else back = bytes.indexOf(carriageReturn, start);
    }
    if (start === bytes.length) return;
    this.#isAfterReturn = false;
    if (!this.#rest.keep(bytes.subarray(start))) this.#drop(skip);
  }

  /** Each line is decoded whole, so that no character is ever cut. Undefined of one that is too long. */
  #readLine(line: Uint8Array | undefined, tell: (event: SseEvent) => void, skip: () => void): void {
    if (line === undefined) return this.#drop(skip);
    const whole = this.#isFirst ? withoutMark(line) : line;
    if (whole.length === 0) this.#finish(tell);
    else this.#take(decoder.decode(whole), whole.length, skip);
  }

  /** A field. `size` is how many bytes its line has. */
  #take(line: string, size: number, skip: () => void): void {
    const colon = line.startsWith('data:') ? 4 : line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const first = colon === -1 ? line.length : line[colon + 1] === ' ' ? colon + 2 : colon + 1;
    const value = line.slice(first);
    if (name === 'data') return this.#append(value, size - first, skip);
    if (name === 'event') this.#event = value;
    if (name === 'id' && !value.includes('\0')) this.#id = value;
    if (name === 'retry' && /^\d{1,9}$/.test(value)) this.retry = Number(value);
  }

  #append(value: string, size: number, skip: () => void): void {
    this.#size += Math.max(0, size) + 1;
    if (this.#isDropped || this.#size > this.#limit + 1) return this.#drop(skip);
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #finish(tell: (event: SseEvent) => void): void {
    const data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#size = 0;
    this.#event = '';
    this.#isDropped = false;
    if (data !== undefined) tell({ event: event === '' ? 'message' : event, data, id: this.#id });
  }

  /** Nothing of the event that is being read is told. */
  #drop(skip: () => void): void {
    if (!this.#isDropped) skip();
    this.#isDropped = true;
    this.#data = undefined;
  }

  readonly #tooLarge = (): never => {
    throw new SseTooLarge(this.#limit);
  };
}

/**
 * The bytes of a line whose end has not come. They are copied, since a slice would hold the whole chunk in memory. Of one
 * that is too long nothing is kept.
 */
class UnfinishedLine {
  readonly #limit: number;
  #kept = nothing;
  #length = 0;
  #isCut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#length === 0 && !this.#isCut;
  }

  /** False once the line is too long. */
  keep(bytes: Uint8Array): boolean {
    const total = this.#length + bytes.length;
    this.#isCut ||= total > this.#limit;
    if (this.#isCut) {
      this.#kept = nothing;
      this.#length = 0;
      return false;
    }
    if (total > this.#kept.length) {
      const larger = new Uint8Array(Math.max(total, this.#kept.length * 2));
      larger.set(this.#kept.subarray(0, this.#length));
      this.#kept = larger;
    }
    this.#kept.set(bytes, this.#length);
    this.#length = total;
    return true;
  }

  /** With its last bytes; undefined of a line that was too long. */
  finish(bytes: Uint8Array): Uint8Array | undefined {
    if (this.isEmpty) return bytes.length > this.#limit ? undefined : bytes;
    const line = this.keep(bytes) ? this.#kept.subarray(0, this.#length) : undefined;
    this.#length = 0;
    this.#isCut = false;
    return line;
  }
}

const nothing = new Uint8Array(0);

function withoutMark(line: Uint8Array): Uint8Array {
  const isMark = line[0] === firstOfMark && line[1] === 0xbb && line[2] === 0xbf;
  return isMark ? line.subarray(3) : line;
}

const deepest = 500;

/** What JSON text says; undefined for what is none, and for nesting that would overflow the stack of its next writer. */
export function parseJson(text: string): unknown {
  if (isDeeper(text, deepest)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const quote = 34;

const backslash = 92;

/** `[` and `{`, `]` and `}`. */
const opening = new Set([91, 123]);

const closing = new Set([93, 125]);

/** Whether brackets nest deeper than that: one look at the text, over as soon as they do, before anything is made of it. */
export function isDeeper(text: string, most: number): boolean {
  // So many brackets need at least so many characters.
  if (text.length <= most) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charCodeAt(i);
    if (character === quote) i = endOfString(text, i);
    else if (opening.has(character)) {
      depth += 1;
      if (depth > most) return true;
    } else if (closing.has(character)) depth -= 1;
  }
  return false;
}

/** Where the closing quote stands. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
