import type { Agent } from '../src/catalog/agent.ts';
import type { Limits } from '../src/gateways/chat/attempt.ts';
import { conversationGateway } from '../src/gateways/conversation/conversation.ts';
import { dialGateway } from '../src/gateways/dial/dial.ts';
import type { Timeouts } from '../src/gateways/http/http-exchange.ts';
import { openAiChatGateway } from '../src/gateways/chat/openai-chat.ts';
import { openConversationServer } from './conversation-server.ts';
import { openStrictDial } from './strict-dial.ts';
import { openUpstream, type Act } from './upstream.ts';

interface Settings {
  readonly timeouts?: Partial<Timeouts>;
  readonly limits?: Limits;
}

/** A model or an agent elsewhere that answers in chunks of chat, and what it does to whoever asks. */
export interface Peer {
  readonly url: string;
  /** What messages get, one list each; the last one stays. */
  answer(...plans: (readonly Act[])[]): void;
  /** How many messages have come. */
  readonly messages: number;
  close(): Promise<void>;
}

export const peers = ['dial', 'conversation', 'openai-chat'] as const;
export type PeerKind = (typeof peers)[number];

export async function openPeer(kind: PeerKind): Promise<Peer> {
  if (kind !== 'conversation') {
    const server = await (kind === 'dial' ? openStrictDial() : openUpstream());
    return {
      url: server.url,
      answer: (...plans) => server.answer(...plans),
      get messages() {
        return server.requests.length;
      },
      close: () => server.close(),
    };
  }
  const server = await openConversationServer();
  return {
    url: server.url,
    answer: (...plans) => server.answer(...plans.map((acts) => () => acts)),
    get messages() {
      return server.chats.length;
    },
    close: () => server.close(),
  };
}

/** The agent that a peer is, as Vitrine sees it. It is not waited for between two tries. */
export function agentAt(
  kind: PeerKind,
  baseUrl: string,
  settings: Settings = {},
): Pick<Agent, 'gateway' | 'state'> {
  const quick = { sleep: async () => undefined };
  if (kind === 'dial') {
    const gateway = dialGateway({ baseUrl, deployment: 'gpa', key: 'dial-key-1', ...settings }, quick);
    return { gateway, state: 'restore' };
  }
  if (kind === 'openai-chat')
    return { gateway: openAiChatGateway({ baseUrl, model: 'm', key: 'chat-key-1', ...settings }, quick) };
  return { gateway: conversationGateway({ baseUrl, ...settings }, quick), state: 'conversation-id' };
}
