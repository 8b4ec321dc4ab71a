import type { Agent } from '../../catalog/agent.ts';
import type { AgentSettings, ConversationAgent } from '../../catalog/agent-settings.ts';
import type { Config } from '../../catalog/config.ts';
import { conversationGateway } from '../../gateways/conversation/conversation.ts';
import { dialGateway } from '../../gateways/dial/dial.ts';
import type { Gateway } from '../../gateways/gateway.ts';
import { openAiChatGateway } from '../../gateways/chat/openai-chat.ts';
import { sectionedGateway } from '../../gateways/conversation/sectioned.ts';
import { secretIn } from './secrets.ts';

/** The agents of a configuration, each behind the gateway that reaches it. */
export async function agentsOf({ agents, models }: Config): Promise<readonly Agent[]> {
  const made = Object.entries(agents).map(async ([name, settings]) => {
    const { model: configured, prices } = models[settings.model ?? ''] ?? {};
    const { description, approval, approvals, sectioned, keeps } = settings;
    const state = settings.state ?? usualState(settings);
    const gateway = await gatewayOf(name, settings, models);
    const model = configured ?? gateway.model;
    const effect = settings.effect ?? (configured === undefined ? 'once' : 'pure');
    const isForeign = !(settings.trusted ?? isOurs(settings, effect));
    return {
      name,
      description,
      gateway: sectioned ? sectionedGateway(gateway, name) : gateway,
      effect,
      untrusted: isForeign,
      sends: isForeign,
      model,
      prices,
      approval,
      approvals,
      state,
      keeps,
    };
  });
  return Promise.all(made);
}

/** What those who are reached in this way are made for. */
function usualState({ dial, conversation, a2a, agUi }: AgentSettings): Agent['state'] {
  if (dial ?? agUi) return 'restore';
  return (conversation ?? a2a) ? 'conversation-id' : undefined;
}

/** A model says nothing but what it makes of its messages. A gateway of one's own that only reads is taken for one. */
function isOurs({ model, gateway }: AgentSettings, effect: Agent['effect']): boolean {
  return model !== undefined || (gateway !== undefined && effect === 'pure');
}

/** Official clients are read where an agent needs them: they bring hundreds of files along. */
async function gatewayOf(
  name: string,
  { model, dial, conversation, a2a, agUi, gateway }: AgentSettings,
  models: Config['models'],
): Promise<Gateway> {
  if (gateway) return gateway;
  if (dial) return dialGateway({ ...dial, key: () => secretIn(dial.key) });
  if (conversation) return conversationOf(name, conversation);
  if (a2a) {
    const { url, key } = a2a;
    const { a2aGateway } = await import('../../gateways/a2a/a2a.ts');
    return a2aGateway({ name, url, key: key && (() => secretIn(key)) });
  }
  if (agUi) {
    const { url, key } = agUi;
    const { agUiGateway } = await import('../../gateways/ag-ui/ag-ui.ts');
    return agUiGateway({ name, url, key: key && (() => secretIn(key)) });
  }
  const settings = models[model ?? ''];
  if (!settings) throw new Error('an agent that cannot be reached passed its schema');
  const { key, prices: _, ...chat } = settings;
  return openAiChatGateway({ ...chat, key: key && (() => secretIn(key)) });
}

function conversationOf(name: string, { key, ...settings }: ConversationAgent): Gateway {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${secretIn(key)}` } : {};
  return conversationGateway({ ...settings, name, headers });
}
