import type { History } from '../../wire/conversation-service.ts';

export interface Trace {
  /** Whether the history shows that the message arrived; undefined when it cannot tell. */
  readonly arrived: boolean | undefined;
  /** What was answered, if anything was. */
  readonly answer?: string;
}

/**
 * What the history of a service says about a message. That it is missing means something only if the service writes
 * messages down before it acts on them: otherwise one that was cut off in the middle of a deed is missing too.
 */
export function traceOf({ messages }: History, content: string, records: 'before' | 'after'): Trace {
  const asked = messages.flatMap(({ role }, place) => (role === 'user' ? place : []));
  const isThis = (place: number): boolean => messages[place]?.content === content;
  const matches = asked.filter(isThis);
  const last = asked.at(-1);
  if (matches.length === 0) return { arrived: records === 'before' ? false : undefined };
  // The same words were said before, and nobody knows which time this is.
  if (matches.length > 1 || last === undefined || !isThis(last)) return { arrived: undefined };
  const answer = messages
    .slice(last + 1)
    .map(({ role, content: said }) => (role === 'assistant' ? (said ?? '') : ''))
    .join('');
  return answer === '' ? { arrived: true } : { arrived: true, answer };
}
