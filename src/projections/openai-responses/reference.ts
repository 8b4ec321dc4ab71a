import { z } from 'zod';
import type { ResponsesItemIn } from '../../wire/responses-request.ts';
import type { SentMessage } from '../door.ts';
import { answerOfMessage } from './ids.ts';

type Reference = Extract<ResponsesItemIn, { type?: 'item_reference' | null | undefined }>;

/** Whether an item is the name of one that the client does not send again, as clients do of what is kept for them. */
export function isReference(item: ResponsesItemIn): item is Reference & { readonly id: string } {
  return 'id' in item && !('role' in item) && (item.type ?? 'item_reference') === 'item_reference';
}

/** A message that is named: its words are read here. Whatever else has a name says nothing. */
export function reference(id: string): SentMessage[] {
  const answer = answerOfMessage(id);
  if (!answer) return [];
  const named = { answer, in: (whole: unknown) => wordsOf(whole, id) };
  return [{ role: 'assistant', text: '', run: answer.run, named }];
}

/** Names that no server of this kind has given, in a sentence each: what stood there is not in the conversation. */
export function unknownIn(items: readonly ResponsesItemIn[]): readonly string[] {
  return items
    .filter(isReference)
    .filter(({ id }) => !answerOfMessage(id) && !isQuestion(id))
    .map(
      ({ id }) => `«${id.slice(0, 100)}» of the input is not known here: left out. Send the message itself.`,
    );
}

/** A question that was asked is known by its decision. */
function isQuestion(id: string): boolean {
  return /\.a\d+~[0-9a-f]+$/.test(id);
}

const Whole = z.object({
  output: z.array(
    z.looseObject({ id: z.string(), content: z.array(z.object({ text: z.string() })).optional() }),
  ),
});

function wordsOf(whole: unknown, id: string): string | undefined {
  const { data } = Whole.safeParse(whole);
  const item = data?.output.find((each) => each.id === id);
  return item?.content?.map(({ text }) => text).join('');
}
