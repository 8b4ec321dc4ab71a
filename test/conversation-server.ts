import { frame } from './sse-frame.ts';
import { openUpstream, sse, type Act, type SeenRequest } from './upstream.ts';

export interface Remembered {
  readonly role: string;
  readonly content: string | null;
}

/** A message that has come in, for whoever says what to do with it. */
export interface Chat {
  readonly id: string;
  readonly content: string;
  /** Writes the exchange into the history, as the service does when all is said. */
  readonly save: (answer: string) => void;
}

export type ChatPlan = (chat: Chat) => readonly Act[];

export interface ConversationServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  readonly chats: readonly SeenRequest[];
  readonly conversations: Map<string, Remembered[]>;
  /** What the next messages get, one plan each; the last one stays. */
  answer(...plans: ChatPlan[]): void;
  /** What the next creations get before conversations are created again. */
  refuseToCreate(...plans: (readonly Act[])[]): void;
  chat(i: number): Promise<SeenRequest>;
  close(): Promise<void>;
}

interface Settings {
  /** What a message to a conversation that is not there gets: both kinds of service exist. */
  readonly unknown?: 404 | 500;
  /** Whether a message is written down before it is acted on. */
  readonly records?: 'before' | 'after';
}

/** Says these words as the real service does, and remembers the exchange after `[DONE]`. */
export const says =
  (...words: readonly string[]): ChatPlan =>
  ({ id, save }) => [
    sse,
    { send: frame({ conversation_id: id }) },
    ...words.map((content) => ({ send: chunk({ content }) })),
    { send: chunk({}, 'stop') },
    { send: 'data: [DONE]\n\n' },
    { does: () => save(words.join('')) },
    'end',
  ];

export function chunk(delta: object, finish: string | null = null): string {
  return frame({ choices: [{ delta, index: 0, finish_reason: finish }] });
}

/** A service that keeps conversations, on a real socket. */
export async function openConversationServer(settings: Settings = {}): Promise<ConversationServer> {
  const upstream = await openUpstream();
  const service = new Service(settings);
  upstream.answer((request) => service.answer(request));
  return {
    url: upstream.url,
    requests: upstream.requests,
    chats: service.chats,
    conversations: service.conversations,
    answer: (...next) => void (service.plans = next),
    refuseToCreate: (...next) => void service.refusals.push(...next),
    async chat(i) {
      for (;;) {
        const found = service.chats[i];
        if (found !== undefined) return found;
        await upstream.request(upstream.requests.length);
      }
    },
    close: () => upstream.close(),
  };
}

class Service {
  readonly conversations = new Map<string, Remembered[]>();
  readonly chats: SeenRequest[] = [];
  readonly refusals: (readonly Act[])[] = [];
  plans: ChatPlan[] = [says('ok')];
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  answer(request: SeenRequest): readonly Act[] {
    const { method, path, body } = request;
    const [, part = '', tail = ''] = /\/conversations(?:\/([^/]+)(\/chat)?)?$/.exec(path) ?? [];
    const id = decodeURIComponent(part);
    if (method === 'POST' && id === '') return body === undefined ? json(422, missingBody) : this.#create();
    if (method === 'POST' && tail !== '') return this.#chat(request, id);
    const messages = this.conversations.get(id);
    return messages ? json(200, { id, title: 't', messages }) : notFound;
  }

  #create(): readonly Act[] {
    const refusal = this.refusals.shift();
    if (refusal) return refusal;
    const id = `conversation-${this.conversations.size + 1}`;
    this.conversations.set(id, []);
    const at = '2026-11-15T20:10:25.941095+00:00';
    return json(200, { id, title: 'New Conversation', messages: [], created_at: at, updated_at: at });
  }

  #chat(request: SeenRequest, id: string): readonly Act[] {
    const { unknown = 404, records = 'after' } = this.#settings;
    this.chats.push(request);
    const history = this.conversations.get(id);
    const plan = (this.plans.length > 1 ? this.plans.shift() : this.plans[0]) ?? says('ok');
    if (!history) return unknown === 404 ? notFound : broken;
    const { content } = (request.body as { message: { content: string } }).message;
    const asked = { role: 'user', content };
    if (history.length === 0) history.push({ role: 'system', content: 'You manage users.' });
    if (records === 'before') history.push(asked);
    const save = (answer: string): void =>
      void history.push(...(records === 'before' ? [] : [asked]), { role: 'assistant', content: answer });
    return plan({ id, content, save });
  }
}

const missingBody = { detail: [{ loc: ['body'], msg: 'field required', type: 'value_error.missing' }] };

function json(status: number, body: unknown): Act[] {
  const headers = { 'content-type': 'application/json' };
  return [{ head: status, headers }, { send: JSON.stringify(body) }, 'end'];
}

const notFound = json(404, { detail: 'Conversation not found' });
const broken: Act[] = [
  { head: 500, headers: { 'content-type': 'text/plain; charset=utf-8' } },
  { send: 'Internal Server Error' },
  'end',
];
