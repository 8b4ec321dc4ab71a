import { z } from 'zod';
import type { Json } from '../../run/values.ts';
import type { Turn } from '../gateway.ts';

/** What is kept of an exchange: the thread, and the agent's and our names for what was asked and said in it. */
const Exchange = z.object({
  thread: z.string(),
  asked: z.string(),
  said: z.string().optional(),
  /** What the agent shares with its clients, and wants to have back. */
  shared: z.json().optional(),
});
export type Exchange = z.infer<typeof Exchange>;

const State = z.object({ ag_ui: Exchange });

export function exchangeIn(state: Json | undefined): Exchange | undefined {
  return State.safeParse(state).data?.ag_ui;
}

export function stateOf(exchange: Exchange): Json {
  return { ag_ui: exchange } as Json;
}

/** Where an agent is at work, and whether it can be told to stop there. */
export const Place = z.object({ thread: z.string(), isVitrine: z.boolean().default(false) });

/** What a question needs to have back with its answer: where it was asked. */
export const Token = Place.extend({ asked: z.string(), hasSchema: z.boolean() });

/**
 * Where a turn belongs. A thread is named after the turn that begins it: under the name of the conversation, an agent on
 * this same server would wait for the run that asks it.
 */
export function threadOf({ state, answers = [], idempotencyKey }: Turn): Exchange {
  const before = exchangeIn(state);
  const asking = Token.safeParse(answers[0]?.token).data;
  const { thread, asked } = asking ?? { thread: before?.thread ?? idempotencyKey, asked: idempotencyKey };
  return { thread, asked, shared: before?.shared };
}
