import { writeSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { columnsIn, widthOf } from './width.ts';

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
/** Terminals that know it show everything between the two at once; the others ignore it. */
const [together, shown] = ['\u001b[?2026h', '\u001b[?2026l'];
const eraseRight = '\u001b[K';
const eraseBelow = '\u001b[J';

/** The last lines of a terminal, drawn over and over. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  /** Replace what was drawn. One write for a frame, and none when nothing has changed. */
  draw(lines: readonly string[]): void;
  /** Put lines above what is drawn, where they stay. */
  print(lines: readonly string[]): void;
  /** Take away what is drawn while something else has the terminal. */
  hide(work: () => void): void;
  /** Give the terminal back, with these lines as the last that were drawn. */
  close(lines?: readonly string[]): void;
}

export function openScreen(out: NodeJS.WriteStream): Screen {
  let drawn: readonly string[] = [];
  let isOpen = true;
  // A crash must not leave somebody without a cursor; nothing else is heard any more at that point.
  const restore = (): void => void writeSync(1, showCursor);
  const again = (): void => redraw(drawn, true);
  const redraw = (lines: readonly string[], isForced = false): void => {
    if (!isOpen || (!isForced && isSame(lines, drawn))) return;
    out.write(
      `${together}${hideCursor}${back(drawn, out.columns)}${lines.map(ended).join('\n')}${eraseBelow}${shown}`,
    );
    drawn = lines;
  };
  process.on('exit', restore);
  out.on('resize', again);
  return {
    // The last column stays free: a terminal that has written there may already be on the next line.
    get width() {
      return columnsIn(out);
    },
    get height() {
      return Math.max(4, (out.rows || 24) - 1);
    },
    draw: (lines) => redraw(lines),
    print(lines) {
      const text = lines.map((line) => `${ended(line)}\n`).join('');
      const kept = drawn.map(ended).join('\n');
      if (isOpen) out.write(`${together}${back(drawn, out.columns)}${text}${kept}${eraseBelow}${shown}`);
    },
    hide(work) {
      redraw([]);
      out.write(showCursor);
      work();
    },
    close(lines = drawn) {
      redraw(lines);
      if (!isOpen) return;
      isOpen = false;
      out.off('resize', again);
      process.off('exit', restore);
      out.write(`${lines.length > 0 ? '\n' : ''}${showCursor}`);
    },
  };
}

function ended(line: string): string {
  return `${line}${eraseRight}`;
}

/** To the beginning of what was drawn. A terminal that became narrower has broken its lines. */
function back(lines: readonly string[], columns: number): string {
  let rows = 0;
  for (const line of lines)
    rows += Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / (columns || 80)));
  return rows > 1 ? `\r\u001b[${rows - 1}A` : '\r';
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, i) => line === other[i]);
}
