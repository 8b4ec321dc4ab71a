import { z } from 'zod';
import type { StepId } from './events.ts';
import type { Step } from './tree.ts';
import { Json } from './values.ts';

/** The blob of a `prompt.recorded`: what is new since the prompt it continues. */
export const RecordedPrompt = z.object({
  /** How many messages it has in common with the beginning of the one it continues. */
  kept: z.int().nonnegative(),
  /** Those that follow. */
  messages: z.array(Json),
  /** What was sent beside them (tools, a schema), unless it is the same as before. */
  offer: Json.optional(),
});
export type RecordedPrompt = z.infer<typeof RecordedPrompt>;

/** All that a model or agent was sent in one turn. */
export interface Prompt {
  readonly messages: readonly Json[];
  readonly offer: Json;
}

/** Put together from what each prompt added to the one before. Undefined where none is recorded, or part of it is gone. */
export async function promptOf(
  tree: { readonly steps: ReadonlyMap<StepId, Pick<Step, 'prompt'>> },
  step: StepId,
  load: (blob: string) => Promise<string | undefined>,
): Promise<Prompt | undefined> {
  const links: RecordedPrompt[] = [];
  let needed = Infinity;
  for (let at: StepId | undefined = step; at !== undefined;) {
    const recorded: { readonly continues?: StepId; readonly blob: { readonly blob: string } } | undefined =
      tree.steps.get(at)?.prompt;
    const text = recorded && (await load(recorded.blob.blob));
    if (!recorded || text === undefined) return undefined;
    const { kept, messages, offer } = RecordedPrompt.parse(JSON.parse(text));
    links.push({ kept, messages: messages.slice(0, Math.max(0, needed - kept)), offer });
    needed = Math.min(needed, kept);
    // A prompt continues an earlier one: whatever else stands there leads nowhere.
    at = recorded.continues !== undefined && recorded.continues < at ? recorded.continues : undefined;
  }
  return {
    messages: links.toReversed().flatMap(({ messages }) => messages),
    offer: links.find(({ offer }) => offer !== undefined)?.offer ?? {},
  };
}
