import { applyToLong } from '../../guards/apply-guard.ts';
import { guardedAttachment } from '../../guards/guarded-attachment.ts';
import type { SentMessage } from '../../run/events.ts';
import { present } from '../../run/present.ts';
import type { Json } from '../../run/values.ts';
import { inputGuardIn } from './run-guards.ts';

/** What somebody says to an app, and what was said before. */
interface Said {
  readonly text: string;
  readonly history?: readonly SentMessage[] | undefined;
}

/** The same as guards of the app let it pass, with what hangs on earlier messages. It may be long: between its parts it rests. */
export async function guardedSaid(
  definition: Json | undefined,
  said: Said,
  rest: () => Promise<void>,
): Promise<Said> {
  const guard = inputGuardIn(definition);
  if (!guard) return said;
  const clean = async (text: string): Promise<string> => (await applyToLong(guard, text, rest)).text;
  const history: SentMessage[] = [];
  for (const { attachments, ...message } of said.history ?? []) {
    const hanging =
      attachments && (await Promise.all(attachments.map((one) => guardedAttachment(one, clean))));
    history.push({ ...message, text: await clean(message.text), ...present({ attachments: hanging }) });
  }
  return { text: await clean(said.text), ...present({ history: said.history && history }) };
}
