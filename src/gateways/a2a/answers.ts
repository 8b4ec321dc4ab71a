import type { Message } from '@a2a-js/sdk';
import { z } from 'zod';
import { dataPart, textPart } from '../../wire/a2a.ts';
import type { AgentAnswer } from '../gateway.ts';

/** What a question needs to have back with its answer: the task that asks, and of ours what was shown. */
export const Token = z.object({
  task: z.string(),
  fingerprint: z.string().optional(),
  /** The last of the agent's own steps that was told before. */
  seen: z.int().default(0),
  /** Those of them that had not ended. */
  open: z.array(z.int()).default([]),
});

/** What people decided, as a message to the task that asked. */
export function answerParts(answers: readonly AgentAnswer[]): Pick<Message, 'taskId' | 'parts'> {
  const taskId = Token.parse(answers[0]?.token).task;
  return { taskId, parts: answers.map(partOf) };
}

function partOf(answered: AgentAnswer): Message['parts'][number] {
  const { id, decision, answer, rationale, token } = answered;
  const { fingerprint } = Token.parse(token);
  if (fingerprint === undefined) return textPart(inWords(answered));
  const made = decision === 'edit' ? { arguments: answer } : { answer };
  return dataPart({
    approval: id,
    decision: decision === 'expire' ? 'reject' : decision,
    fingerprint,
    rationale,
    ...(answer === undefined ? {} : made),
  });
}

/** To an agent that has no other way than words. */
function inWords({ decision, answer, rationale }: AgentAnswer): string {
  const why = rationale === undefined ? '' : ` ${rationale}`;
  if (decision === 'reject' || decision === 'expire') return `No.${why}`;
  const said = typeof answer === 'string' ? answer : answer === undefined ? 'Yes.' : JSON.stringify(answer);
  return `${said}${why}`;
}
