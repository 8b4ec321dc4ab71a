import type { FileHandle } from 'node:fs/promises';

export interface LineRange {
  readonly from: number;
  readonly to: number;
  /** At most so many bytes are kept. */
  readonly bytes: number;
}

export interface Lines {
  readonly text: string;
  /** The last line that is in the text, whole or in part; below `from` when there is none. */
  readonly last: number;
  /** There was more to show than the limit allows. */
  readonly cut: boolean;
  /** How many lines the file has, when it was read to its end. */
  readonly total?: number;
}

const newline = 0x0a;

/** Some lines of a file, reading no further than needed and keeping no more than allowed. */
export async function readLines(handle: FileHandle, range: LineRange, signal: AbortSignal): Promise<Lines> {
  const buffer = Buffer.alloc(65_536);
  const kept: Buffer[] = [];
  let room = range.bytes;
  let line = 1;
  let last = range.from - 1;
  let ended = newline;
  for (let at = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) {
      return { text: decode(kept), last, cut: false, total: ended === newline ? line - 1 : line };
    }
    at += bytesRead;
    ended = buffer[bytesRead - 1] ?? newline;
    for (let start = 0; start < bytesRead; line++) {
      const end = endOfLine(buffer.subarray(0, bytesRead), start);
      if (line >= range.from) {
        if (room === 0) return { text: decode(kept), last, cut: true };
        kept.push(Buffer.from(buffer.subarray(start, Math.min(end, start + room))));
        last = line;
        if (end - start > room) return { text: decode(kept), last, cut: true };
        room -= end - start;
      }
      start = end;
      if (buffer[end - 1] !== newline) break;
      if (line >= range.to) return { text: decode(kept), last, cut: false };
    }
  }
}

/** Text has no NUL bytes; almost everything else has one early on. */
export async function isBinary(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(8192), 0, 8192, 0);
  return buffer.subarray(0, bytesRead).includes(0);
}

function endOfLine(bytes: Buffer, start: number): number {
  const at = bytes.indexOf(newline, start);
  return at === -1 ? bytes.length : at + 1;
}

// Decoding as a stream that never ends leaves out a character that was cut in two.
function decode(kept: readonly Buffer[]): string {
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true });
}
