import type { Interrupt } from '@ag-ui/core';
import { z } from 'zod';
import { Json } from '../../run/values.ts';
import type { AgentQuestion } from '../gateway.ts';
import type { Token } from './thread.ts';
import { present } from '../../run/tree.ts';

/** What a Vitrine says of its question, and of what will run: as it is, and as people are shown it. */
const Shown = z.object({
  title: z.string().optional(),
  about: z.string().optional(),
  given: Json.optional(),
  arguments: z.string().optional(),
  allowed: z.array(z.string()).optional(),
});

const longestTitle = 200;

interface Asking {
  readonly name: string;
  readonly place: Omit<z.infer<typeof Token>, 'hasSchema'>;
  /** What the call is given that the question is about. */
  readonly called: Json | undefined;
}

/** An interrupt as a question to a person. */
export function questionOf(interrupt: Interrupt, { name, place, called }: Asking): AgentQuestion {
  const { id, message = '', responseSchema, metadata } = interrupt;
  const asked = Shown.safeParse(metadata).data ?? {};
  const { title = titleIn(message), given = called, allowed = ['edit'] } = asked;
  const said = asked.title === undefined ? (title === undefined ? message : '') : asked.about;
  const mayEdit = responseSchema === undefined && allowed.includes('edit') && given !== undefined;
  const text = [said, mayEdit ? '' : asked.arguments].filter((one) => one !== undefined && one !== '');
  const token = { ...place, hasSchema: responseSchema !== undefined };
  return {
    id,
    title: title ?? `${name} asks`,
    token,
    ...present({
      message: text.length === 0 ? undefined : text.join('\n\n'),
      arguments: mayEdit ? given : undefined,
      schema: responseSchema as Json | undefined,
    }),
  };
}

/** A short question is its own title. */
function titleIn(message: string): string | undefined {
  return message !== '' && message.length <= longestTitle && !message.includes('\n') ? message : undefined;
}
