import { z } from 'zod';
import { Decision } from '../../run/events.ts';

const words: Readonly<Record<Decision, string>> = {
  approve: 'Approved by',
  reject: 'Rejected by',
  edit: 'Changed and approved by',
  defer: 'Put off by',
  expire: 'Not decided in time:',
};

/** What somebody decided, as a sentence. */
export function decided({
  decision,
  by,
  rationale,
}: {
  readonly decision: Decision;
  readonly by: string;
  readonly rationale?: string | undefined;
}): string {
  return rationale === undefined ? `${words[decision]} ${by}.` : `${words[decision]} ${by}: ${rationale}`;
}

const Answer = z.object({
  decision: Decision,
  by: z.string(),
  rationale: z.string().optional(),
  answer: z.unknown().optional(),
  arguments: z.unknown().optional(),
});

/** The outcome of a question to a person; undefined for what is none. */
export function decisionText(result: unknown): string | undefined {
  const { data } = Answer.safeParse(result);
  if (!data) return undefined;
  const given = data.answer ?? data.arguments;
  if (given === undefined || given === null) return decided(data);
  return `${decided(data)}\n${typeof given === 'string' ? given : JSON.stringify(given)}`;
}
