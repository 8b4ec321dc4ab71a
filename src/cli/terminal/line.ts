import { styleText } from 'node:util';
import { cut, widthOf } from './width.ts';

export type Style = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;
/** A piece of a line and how it looks. The text must be fit for a terminal already. */
export type Span = readonly [text: string, ...styles: Style[]];
export type Line = readonly Span[];
export type Paint = (text: string, styles: Style[]) => string;

export const unpainted: Paint = (text) => text;

/** Colours for a stream that shows them; whoever sets NO_COLOR gets none. */
export function painter(stream: NodeJS.WriteStream): Paint {
  return (text, styles) => (styles.length === 0 ? text : styleText(styles, text, { stream }));
}

/** A line as text that takes at most `width` columns. */
export function render(line: Line, width: number, paint: Paint): string {
  let left = width;
  let text = '';
  for (const [i, [piece, ...styles]] of line.entries()) {
    const hasMore = line.slice(i + 1).some(([later]) => later !== '');
    const size = widthOf(piece);
    // The mark of a cut needs a column of its own, so a span that fills the line is cut when more would follow.
    const room = size === left && hasMore ? left - 1 : left;
    const shown = size <= room ? piece : cut(piece, left);
    text += paint(shown, styles);
    left -= widthOf(shown);
    if (shown !== piece || left <= 0) break;
  }
  return text;
}
