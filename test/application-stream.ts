// An application as its clients watch it: by the stream of a chat, and by sockets of the workflow platform.
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { FlatRow } from '../src/wire/a2ui.ts';
import type { Answered, Serving } from './serving.ts';

/** What a frame says of the data. */
export interface Told {
  readonly title?: string;
  readonly steps?: readonly FlatRow[];
  readonly final_output?: string;
}

/** What each frame says of the data, in order; before them are the three of every surface. */
export function framesIn({ status, text }: Pick<Answered, 'status' | 'text'>): readonly Told[] {
  expect(status, text).toBe(200);
  const frames = [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as { type: string; data?: Told },
  );
  expect(frames.slice(0, 3).map(({ type }) => type)).toEqual([
    'surfaceUpdate',
    'dataModelUpdate',
    'beginRendering',
  ]);
  expect(new Set(frames.slice(3).map(({ type }) => type))).toEqual(new Set(['dataModelUpdate']));
  return frames.slice(3).map(({ data = {} }) => data);
}

/** How the rows of the first level stood, one line for each time that changed. */
export function course(frames: readonly Told[]): string[] {
  const lines = frames.flatMap(({ steps }) =>
    steps
      ? [
          steps
            .filter(({ parent, label }) => !parent && !label.startsWith('›'))
            .map(({ id, status }) => `${id.replace('step_', '')}${marks[status]}`)
            .join(' '),
        ]
      : [],
  );
  return lines.filter((line, i) => line !== lines[i - 1]);
}

const marks: Readonly<Record<FlatRow['status'], string>> = {
  pending: '.',
  running: '>',
  completed: '+',
  failed: '!',
  interrupted: '?',
  resumed: '~',
  skipped: '-',
};

/** What began to work, by its label, in the order in which the frames say so. */
export function begunIn(frames: readonly Told[]): string[] {
  const begun = new Map<string, string>();
  for (const { steps = [] } of frames)
    for (const { id, label, status } of steps)
      if (status !== 'pending' && status !== 'skipped' && !begun.has(id)) begun.set(id, label);
  return [...begun.values()].map((label) => label.replaceAll('› ', ''));
}

export interface Watched {
  readonly run: string;
  /** Reads on until what came so far is as it should be, or nothing more comes. */
  until(isThere: (text: string) => boolean): Promise<string>;
  /** Reads to the end. */
  rest(): Promise<string>;
  close(): Promise<void>;
}

/** A stream as somebody reads it while it goes on. */
export async function watchChat(
  url: string,
  json: object,
  { app = 'desk', headers = {} }: { readonly app?: string; readonly headers?: Record<string, string> } = {},
): Promise<Watched> {
  const left = new AbortController();
  const response = await fetch(`${url}/api/applications/${app}/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
    signal: left.signal,
  });
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (isThere: (text: string) => boolean): Promise<string> => {
    while (!isThere(text)) {
      const next = await reader?.read();
      if (!next || next.done) return text;
      text += next.value;
    }
    return text;
  };
  return {
    run: response.headers.get('x-run-id') ?? '',
    until,
    rest: () => until(() => false),
    close: async () => left.abort(),
  };
}

export interface ExecutionEvent {
  readonly event: string;
  readonly name: string;
}

export interface Listening {
  /** Resolves with the first event. */
  readonly begun: Promise<void>;
  readonly heard: Promise<readonly ExecutionEvent[]>;
}

/** All that a run tells by its WebSocket, until it is over. */
export function listenTo(at: Serving, run: string, key?: string): Listening {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/ws/execution/${run}`, { headers });
  const heard: ExecutionEvent[] = [];
  const begun = Promise.withResolvers<void>();
  const all = new Promise<readonly ExecutionEvent[]>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve(heard));
    socket.on('message', (data: Buffer) => {
      const { event, payload } = JSON.parse(data.toString()) as {
        event: string;
        payload: { step_name?: string; status?: string };
      };
      heard.push({ event, name: payload.step_name ?? '' });
      begun.resolve();
      if (event === 'run_completed' && payload.status === 'completed') socket.close();
    });
  });
  return { begun: begun.promise, heard: all };
}
