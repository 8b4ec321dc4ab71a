// The console's own client, as far as its frames matter: how it builds what people see of a session.
import { z } from 'zod';
import { ConsoleFrame, DottedFrame } from '../src/wire/console.ts';
import { sseReader } from '../src/wire/sse.ts';

export type Generation = 'console' | 'console-dotted';

/** An event as a client takes it, in the names of the first generation. */
export interface Told {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The frames of a stream, each as its schema has it. */
export function toldIn(text: string, as: Generation): Told[] {
  const frames: Told[] = [];
  sseReader().read(Buffer.from(text), ({ event, data }) => {
    if (event !== 'heartbeat') frames.push(toldAs({ event, data: JSON.parse(data) }, as));
  });
  return frames;
}

export function toldAs(frame: unknown, as: Generation): Told {
  const { event, data } = (as === 'console' ? ConsoleFrame : DottedFrame).parse(frame);
  return { event: firstNames[event] ?? event, data };
}

const firstNames: Readonly<Record<string, string>> = {
  'run.start': 'run_start',
  'session.created': 'thread_created',
  'tool_call.start': 'step_started',
  'tool_call.complete': 'step_complete',
  'message.complete': 'message',
  'run.complete': 'run_complete',
  status: 'step_thinking',
};

const Card = z.looseObject({
  step: z.number(),
  agent: z.string(),
  query: z.string(),
  parent: z.union([z.number(), z.string()]).optional(),
  id: z.string().optional(),
  response: z.string().default(''),
  error: z.boolean().default(false),
  blocked: z.boolean().default(false),
  is_action: z.boolean().default(false),
  visualizations: z.array(z.object({ type: z.string(), data: z.unknown() })).default([]),
});
export type Card = z.infer<typeof Card>;

export interface ShownTurn {
  readonly cards: Card[];
  diagnosis: string;
  error: string;
}

/** A session as it is shown when it is opened again: what stands outside of a turn is dropped. */
export function shownTurns(log: readonly Told[]): ShownTurn[] {
  const turns: ShownTurn[] = [];
  let current: ShownTurn | undefined;
  for (const { event, data } of log) {
    if (event === 'user_message') current = undefined;
    if (event === 'run_start') turns.push((current = { cards: [], diagnosis: '', error: '' }));
    if (!current) continue;
    if (event === 'step_complete') current.cards.push(Card.parse(data));
    if (event === 'message') current.diagnosis = String(data['text']);
    if (event === 'error') current.error = String(data['message']);
  }
  return turns;
}

/** What is said while people wait. */
export function thinkingIn(log: readonly Told[]): string[] {
  return log.flatMap(({ event, data }) =>
    event === 'step_thinking' && data['approval'] === undefined
      ? [String(data['status'] ?? data['message'])]
      : [],
  );
}
