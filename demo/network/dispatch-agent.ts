import type { Audience } from '../agent/agent-turn.ts';
import type { DialAnswer } from '../dial/dial-answer.ts';
import type { NetworkAgent } from './agents.ts';
import { dispatchAction, dispatchTool, type DispatchDesk } from './dispatch.ts';

/** The agent that acts. Whoever configures it says that its messages need approval. */
export function dispatchAgent(desk: DispatchDesk): NetworkAgent {
  return {
    name: 'FieldDispatchAgent',
    description:
      'Dispatches a field engineer to a link or a site. Its messages need the approval of a person.',
    tools: [dispatchTool(desk)],
    isAction: true,
  };
}

/** An action is told as the console tells it: what was executed, and its data as an attachment. */
export function showDispatch(answer: DialAnswer, model: string): Audience {
  return {
    say: (text) => answer.say(text),
    think: () => undefined,
    begin(call) {
      const stage = answer.stage(call.tool);
      stage.say(`${call.arguments}\n`);
      return {
        say: (text) => stage.say(text),
        attach(item) {
          if (item.kind !== 'action') return;
          const data = JSON.stringify({ is_action: true, name: item.name, action: item.data });
          const attachment = { type: 'application/json', title: 'action', data };
          stage.attach(attachment);
          answer.attach(attachment);
        },
        end(outcome) {
          stage.say(outcome.ok ? `Action executed: ${dispatchAction.name}\n` : `${outcome.error}\n`);
          stage.close(outcome.ok ? 'completed' : 'failed');
        },
      };
    },
    use: ({ input, output }) => answer.use({ model, input, output }),
  };
}
