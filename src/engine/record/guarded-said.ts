import { clean } from '../../guards/guard.ts';
import type { SentMessage } from '../../run/events.ts';
import type { Json } from '../../run/values.ts';
import { inputGuardIn } from './run-guards.ts';

/** What somebody says to an app, and what was said before. */
interface Said {
  readonly text: string;
  readonly history?: readonly SentMessage[] | undefined;
}

/** The same as guards of the app let it pass. */
export function guardedSaid(definition: Json | undefined, said: Said): Said {
  const guard = inputGuardIn(definition);
  if (!guard) return said;
  const history = said.history?.map((message) => ({ ...message, text: clean(guard, message.text) }));
  return { text: clean(guard, said.text), history };
}
