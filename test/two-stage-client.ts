// A client of the two-stage protocol as the original's own page is one: written by hand, to the letter of what that page does.
import { expect } from 'vitest';
import { TwoStageFrame } from '../src/wire/two-stage.ts';

export interface TwoStageAnswer {
  readonly status: number;
  readonly run: string;
  readonly frames: readonly TwoStageFrame[];
  /** What the page shows in the end. */
  readonly shown: string;
  readonly error: string | undefined;
  readonly isDone: boolean;
}

/** Send something, and read the stream to its end, or until a frame that is waited for. */
export async function send(
  url: string,
  body: object,
  until: (frame: TwoStageFrame) => boolean = () => false,
): Promise<TwoStageAnswer> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  const run = response.headers.get('x-run-id') ?? '';
  const page = { shown: '', error: undefined as string | undefined, isDone: false };
  const frames: TwoStageFrame[] = [];
  if (!response.ok || !response.body) {
    const { error } = (await response.json()) as { error: string };
    return { status: response.status, run, frames, ...page, error };
  }
  try {
    for await (const data of lines(response.body)) {
      const raw = JSON.parse(data) as Record<string, unknown>;
      expect(Object.values(raw), 'fields are absent, never null or false').not.toContain(null);
      expect(Object.values(raw)).not.toContain(false);
      const frame = TwoStageFrame.parse(raw);
      expect(page.isDone, 'nothing comes after done').toBe(false);
      frames.push(frame);
      take(page, frame);
      if (until(frame)) break;
    }
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
  }
  leaving.abort();
  return { status: response.status, run, frames, ...page };
}

/** The page looks at `chunk`, then at `error`, then at `done`, each by whether it is there. */
function take(
  page: { shown: string; error: string | undefined; isDone: boolean },
  frame: TwoStageFrame,
): void {
  if (frame.chunk !== undefined) page.shown += frame.chunk;
  else if (frame.error !== undefined) page.error = frame.error;
  else if (frame.done !== undefined) page.shown = frame.fullContent ?? '';
  page.isDone = frame.done !== undefined;
}

async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const all = rest.split('\n');
    rest = all.pop() ?? '';
    for (const line of all) if (line.startsWith('data: ')) yield line.slice('data: '.length);
  }
}
