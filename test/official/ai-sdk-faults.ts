// What is wrong with a run as the official client of the AI SDK has it.
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { aiSdkProjection } from '../../src/projections/ai-sdk/ai-sdk.ts';
import type { AiSdkFrame } from '../../src/projections/ai-sdk/scene.ts';
import { unwritten } from '../../src/projections/frames.ts';
import type { Entry } from '../../src/run/events.ts';
import { foldAll } from '../../src/run/entries.ts';
import { aiSdkDone, type AiSdkChunk } from '../../src/wire/ai-sdk.ts';
import { quietly } from './ag-ui-client.ts';

export function told(entries: readonly Entry[], joinedTo = 0): readonly AiSdkFrame[] {
  const projection = { projection: aiSdkProjection({ run: 'r' }), ends: 'question' } as const;
  const telling = unwritten(projection, { joinedTo });
  return entries.flatMap((entry) => telling.tell(entry));
}

/** The chunks of each answer. */
export function answers(frames: readonly AiSdkFrame[]): AiSdkChunk[][] {
  const all: AiSdkChunk[][] = [[]];
  for (const frame of frames)
    if (frame === aiSdkDone) all.push([]);
    else all.at(-1)?.push(frame);
  return all.filter((chunks) => chunks.length > 0);
}

export interface Heard {
  readonly message: UIMessage | undefined;
  readonly fault: string | undefined;
  readonly printed: readonly string[];
}

/** What the official client makes of answers, one after the other, of one message. */
export async function heard(chunks: readonly (readonly AiSdkChunk[])[]): Promise<Heard> {
  let message: UIMessage | undefined;
  let fault: string | undefined;
  const printed = await quietly(async () => {
    for (const answer of chunks) {
      const given = JSON.parse(JSON.stringify(answer)) as UIMessageChunk[];
      const stream = ReadableStream.from(given) as ReadableStream<UIMessageChunk>;
      const onError = (error: unknown): void => void (fault = String(error));
      const known = message ? { message } : {};
      for await (const next of readUIMessageStream({ stream, onError, ...known })) message = next;
    }
  });
  return { message, fault, printed };
}

export function isFailed(entries: readonly Entry[]): boolean {
  return entries.some(({ event }) => event.type === 'run.ended' && event.outcome === 'failed');
}

/** The parts of a message that a client draws, by their kinds. */
export function drawn(message: UIMessage | undefined) {
  const parts = message?.parts ?? [];
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const steps = parts.flatMap((part) => (part.type === 'data-step' ? [[part.id, part.data] as const] : []));
  const calls = parts.flatMap((part) =>
    part.type === 'dynamic-tool' ? [[part.toolCallId, part.state] as const] : [],
  );
  return { id: message?.id, texts, steps: Object.fromEntries(steps), calls: Object.fromEntries(calls) };
}

export function faultsIn({ message, fault, printed }: Heard, entries: readonly Entry[]): string[] {
  const tree = foldAll(entries);
  const { id, texts, steps, calls } = drawn(message);
  const faults = [...printed, ...(fault === undefined || isFailed(entries) ? [] : [fault])];
  const found = (data: unknown): object => (data ?? {}) as object;
  for (const { id: step, parent, status, openedAt, kind } of tree.steps.values()) {
    if (step === 0 || openedAt === undefined) continue;
    const parentId = parent === 0 ? undefined : `s${parent}`;
    const told = found(steps[`s${step}`]) as { parentId?: string; status?: string; kind?: string };
    if (told.parentId !== parentId || told.status !== status || told.kind !== kind)
      faults.push(`s${step} is ${JSON.stringify(told)} and not ${status}`);
  }
  for (const [call, state] of Object.entries(calls))
    if (tree.ended && !String(state).startsWith('output-')) faults.push(`${call} is left ${String(state)}`);
  const { answer } = tree.ended ?? {};
  if (
    typeof answer === 'string' &&
    answer.trim() !== '' &&
    !texts.some((text) => text.trim() === answer.trim())
  )
    faults.push(`the answer is not told: ${JSON.stringify(texts)}`);
  return id === 'r' ? faults : [...faults, `the message is ${id}`];
}
