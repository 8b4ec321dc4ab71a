import { z } from 'zod';
import type { ToldFrame } from './told-run.ts';

/** The ends of cards. */
const ends: ReadonlySet<string> = new Set(['step_response', 'step_complete', 'tool_call.complete']);

const Numbered = z.object({ step: z.int() });

/**
 * The events of a turn, with the ends of its cards in the order of their starts. Clients that open a session again put
 * cards one below the other as they end, and whoever delegates ends last: they would stand below those they asked. Every
 * card has started by then: where so many have ended, at least as many had begun.
 */
export async function* inOrderOfStarting(frames: () => AsyncIterable<ToldFrame>): AsyncGenerator<ToldFrame> {
  const ended = new Map<string, ToldFrame[]>();
  for await (const frame of frames()) {
    if (!ends.has(frame.event)) continue;
    const known = ended.get(frame.event) ?? [];
    ended.set(frame.event, known);
    known.push(frame);
  }
  for (const all of ended.values()) all.sort((one, other) => numberOf(one) - numberOf(other));
  const told = new Map<string, number>();
  for await (const frame of frames()) {
    const place = told.get(frame.event) ?? 0;
    told.set(frame.event, place + 1);
    yield ended.get(frame.event)?.[place] ?? frame;
  }
}

function numberOf({ data }: ToldFrame): number {
  return Numbered.parse(JSON.parse(data)).step;
}
