import { z } from 'zod';
import { promptOf } from '../../run/prompt.ts';
import type { RunTree } from '../../run/tree.ts';
import type { TraceEvent } from '../../wire/trace.ts';

const Sent = z.object({ role: z.string(), text: z.string() });
const Offer = z.object({ tools: z.array(z.object({ name: z.string() })).default([]) });

/** The same events, each model call with what was sent: the system prompt, the messages, the tools on offer. */
export async function withPrompts(
  events: readonly TraceEvent[],
  tree: RunTree,
  load: (blob: string) => Promise<string | undefined>,
): Promise<TraceEvent[]> {
  return Promise.all(
    events.map(async (event) => {
      const { step } = event.details;
      if (event.type !== 'llm_call' || typeof step !== 'number') return event;
      const prompt = await promptOf(tree, step, load);
      if (!prompt) return event;
      const messages = prompt.messages.flatMap((message) => Sent.safeParse(message).data ?? []);
      const system = messages[0]?.role === 'system' ? messages[0].text : '';
      const context = {
        systemPrompt: system,
        messages: messages.slice(system === '' ? 0 : 1).map(({ role, text }) => ({ role, content: text })),
        tools: Offer.safeParse(prompt.offer).data?.tools.map(({ name }) => name) ?? [],
      };
      return { ...event, details: { ...event.details, ...context } };
    }),
  );
}
