import { openAiChatGateway, RunError, type Gateway, type Tool } from '../../src/index.ts';
import type { DialAnswer } from '../dial/dial-answer.ts';
import { DialError } from '../dial/dial-error.ts';
import type { DialApplication, DialTurn } from '../dial/dial-server.ts';
import { takeAgentTurn } from './agent-turn.ts';
import type { AgentModel } from './model-settings.ts';
import { restore, stateOf, type RestoredCall } from './restore.ts';
import { showTurn } from './show-turn.ts';

/** An agent with tools that remembers nothing itself, so that any of its processes can take any turn. */
export interface ToolAgent {
  readonly model: AgentModel;
  readonly system: string;
  /** What it may use for a message. */
  tools(question: string, signal: AbortSignal): Promise<readonly Tool[]>;
  /** Told of every turn, and of the calls that came back with the messages. */
  noted?(
    turn: DialTurn,
    seen: { readonly question: string; readonly restored: readonly RestoredCall[] },
  ): void;
}

/** The agent as an application of DIAL: its work is shown as stages, its calls go back with the answer as its state. */
export function toolAgent(agent: ToolAgent): DialApplication {
  const gateway = openAiChatGateway(agent.model);
  return (turn, answer) => respond(turn, answer, { ...agent, gateway });
}

async function respond(
  turn: DialTurn,
  answer: DialAnswer,
  { gateway, ...agent }: ToolAgent & { readonly gateway: Gateway },
): Promise<void> {
  const { messages, restored } = restore(turn.messages);
  const question = messages.at(-1)?.text ?? '';
  agent.noted?.(turn, { question, restored });
  answer.open();
  const audience = showTurn(answer, agent.model.model);
  try {
    const { conversation, idempotencyKey, signal } = turn;
    const tools = await agent.tools(question, signal);
    const asked = { messages: [{ role: 'system' as const, text: agent.system }, ...messages], tools };
    const added = await takeAgentTurn(
      { ...asked, model: gateway, conversation, idempotencyKey },
      audience,
      signal,
    );
    audience.finish();
    answer.remember(stateOf(added));
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    throw new DialError(502, thrown.message, {
      displayMessage: 'What this agent works with cannot answer now.',
      cause: thrown,
    });
  }
}
