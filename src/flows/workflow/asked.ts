import type { TurnRequest } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';
import { firstFitting, onceMore, type Read } from '../../run/json-answer.ts';
import type { Json } from '../../run/values.ts';
import { misfit } from '../../schema/misfit.ts';
import { meaningOf } from '../../wire/sectioned-text.ts';
import { delegate } from '../coordinate/delegate.ts';
import type { Working } from './node.ts';
import { filledText, type AtWork, type NodeOf } from './sight.ts';

type Messages = TurnRequest['messages'];

/** What an agent says; with tools, at the end of the conversation in which it uses them. */
export async function answerOfAgent(at: AtWork<NodeOf<'agent'>>, working: Working): Promise<Json> {
  const { scope, node } = at;
  const { agent, tools, answer } = node;
  const text = filledText(at, 'message', node.message);
  const messages: Messages = [{ role: 'user', text }];
  if (tools !== undefined) {
    const flow = working.means.flow('converse', { agent, tools });
    const said = await flow.run(scope, { ...working.input, text, attachments: [] });
    return answer === undefined ? said : fitting(at, { said, messages, answer });
  }
  if (answer === undefined) return delegate(scope, { name: agent, description: '' }, { text });
  return askedForJson(at, messages, answer);
}

/** What a model says to one message. */
export async function answerOfPrompt(at: AtWork<NodeOf<'prompt'>>): Promise<Json> {
  const { scope, node } = at;
  const messages: Messages = [
    ...(node.system === undefined
      ? []
      : [{ role: 'system', text: filledText(at, 'system', node.system) } as const]),
    { role: 'user', text: filledText(at, 'message', node.message) },
  ];
  if (node.answer !== undefined) return askedForJson(at, messages, node.answer);
  return meaningOf((await scope.turn(node.agent, { messages })).text);
}

/** What a coordinator makes of what its agents find. */
export function answerOfTeam(at: AtWork<NodeOf<'team'>>, working: Working): Promise<Json> {
  const text = filledText(at, 'message', at.node.message);
  const flow = working.means.flow('coordinate', Object(at.node.settings) as object);
  return flow.run(at.scope, { ...working.input, text, attachments: [] });
}

type Asking = AtWork<NodeOf<'agent'> | NodeOf<'prompt'>>;

async function askedForJson(at: Asking, messages: Messages, answer: Json): Promise<Json> {
  const { text: said } = await at.scope.turn(at.node.agent, { messages, answerSchema: answer });
  return fitting(at, { said, messages, answer });
}

interface Said {
  readonly said: string;
  readonly messages: Messages;
  /** JSON schema of what is wanted. */
  readonly answer: Json;
}

/** Who answers something else is told so once, and asked again. */
async function fitting({ scope, node }: Asking, { said, messages, answer }: Said): Promise<Json> {
  const read = readBy(answer, said);
  if (read.fits) return read.value;
  const again: Messages = [
    ...messages,
    { role: 'assistant', text: said },
    { role: 'user', text: onceMore(read.misfit, answer) },
  ];
  const { text } = await scope.turn(node.agent, { messages: again, answerSchema: answer });
  const last = readBy(answer, text);
  if (last.fits) return last.value;
  const message = `${node.agent} was asked twice for JSON, and its answer does not fit: ${last.misfit}.`;
  throw new RunError('malformed', message);
}

function readBy(schema: Json, text: string): Read<Json> {
  return firstFitting(text, (found) => {
    const value = found as Json;
    const wrong = misfit(schema, value);
    return wrong === undefined ? { fits: true, value } : { fits: false, misfit: wrong };
  });
}
