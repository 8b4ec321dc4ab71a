import type { Agent } from '../../catalog/agent.ts';
import type { AgentAnswer, AgentQuestion } from '../../gateways/gateway.ts';
import { present } from '../../run/present.ts';
import type { Execution } from '../execution.ts';
import { askPerson } from '../question/ask.ts';
import type { TurnResult } from '../scope.ts';
import { turnAfter } from './turn-after.ts';
import { runTurn, type PlacedTurn } from './turn.ts';

/**
 * A turn of an agent that may ask people in the middle of its work: each question is a step of its own, and what they
 * decided goes back to the agent in another turn, until it has nothing more to ask.
 */
export async function runAskingTurn(
  execution: Execution,
  agent: Agent,
  given: PlacedTurn,
): Promise<TurnResult> {
  let { key: turn } = given;
  let result = await runTurn(execution, agent, given);
  for (let round = 1; result.questions !== undefined; round += 1) {
    const answered: AgentAnswer[] = [];
    // One after the other: the order in which steps are opened is the order in which they are met again.
    for (const [i, question] of result.questions.entries()) {
      const key = `${given.key} asks ${round}.${i + 1}`;
      answered.push(await answerOf(execution, { question, key, parent: given.parent }));
    }
    turn = turnAfter(turn);
    result = await runTurn(execution, agent, { ...given, key: turn, answered });
  }
  return result;
}

interface Asked {
  readonly question: AgentQuestion;
  readonly key: string;
  readonly parent: number;
}

async function answerOf(execution: Execution, { question, ...place }: Asked): Promise<AgentAnswer> {
  const { id, token, ...asked } = question;
  const {
    decision,
    answer,
    arguments: edited,
    rationale,
  } = await askPerson(execution, {
    ...place,
    ...asked,
    allowed: question.arguments === undefined ? ['approve', 'reject'] : ['approve', 'reject', 'edit'],
  });
  if (decision === 'defer') throw new RangeError('what is put off is not decided');
  return { id, decision, ...present({ token, answer: edited ?? answer, rationale }) };
}
