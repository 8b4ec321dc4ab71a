/** A frame of a stream before it has its form. Only the last frame of an entry has an `id`, the cursor to come back with. */
export interface SseFrame {
  readonly event?: string;
  readonly data: string;
  readonly id?: number;
}

/**
 * A frame as server-sent event. Whatever a run holds, one frame is read back as one event: names cannot break a line,
 * ids are numbers, and data that has line ends is sent line by line.
 */
export function sseText({ event, data, id }: SseFrame): string {
  const name = event === undefined || event === '' ? '' : `event: ${event.replaceAll(/[^\w.:-]/g, '_')}\n`;
  return `${name}${id === undefined ? '' : cursorLine(id)}data: ${oneByOne(data)}\n\n`;
}

export function sseTexts(frames: readonly SseFrame[]): string {
  let text = '';
  for (const frame of frames) text += sseText(frame);
  return text;
}

/** A cursor that is no number would bring a viewer back to the wrong place without a word. */
function cursorLine(id: number): string {
  if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`${id} is not a cursor`);
  return `id: ${id}\n`;
}

function oneByOne(data: string): string {
  return /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
}
