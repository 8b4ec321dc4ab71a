// The official chat of the AI SDK, with the state that a view would keep for it.
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from 'ai';
import { pathsBy } from './paths.ts';

class State implements ChatState<UIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined = undefined;
  messages: UIMessage[];
  constructor(messages: readonly UIMessage[]) {
    this.messages = [...messages];
  }
  pushMessage = (message: UIMessage): void => void (this.messages = [...this.messages, message]);
  popMessage = (): void => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index: number, message: UIMessage): void =>
    void (this.messages = this.messages.with(index, message));
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

interface Given {
  readonly id: string;
  readonly fetch?: typeof fetch;
  readonly messages?: readonly UIMessage[];
  /** Whether it goes on by itself once all questions have their answers. */
  readonly goesOn?: boolean;
}

export class Chat extends AbstractChat<UIMessage> {
  constructor(api: string, { id, fetch: asking, messages = [], goesOn = true }: Given) {
    super({
      id,
      state: new State(messages),
      transport: new DefaultChatTransport({ api, ...(asking ? { fetch: asking } : {}) }),
      ...(goesOn ? { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses } : {}),
    });
  }
}

export function partsOf(chat: Chat): UIMessage['parts'] {
  return chat.messages.at(-1)?.parts ?? [];
}

export function textIn(chat: Chat): string | undefined {
  return partsOf(chat)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .at(-1);
}

/** The titles of the steps that were told, from the run down. */
export function pathsIn(chat: Chat): string[][] {
  const steps = partsOf(chat).flatMap((part) => {
    if (part.type !== 'data-step') return [];
    const { parentId: parent, title } = part.data as { parentId?: string; title: string };
    return [[part.id, { parent, title }] as const];
  });
  return pathsBy(new Map(steps));
}

export function approvalIn(chat: Chat): string | undefined {
  const [asked] = partsOf(chat).flatMap((part) =>
    part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part.approval.id] : [],
  );
  return asked;
}
