import type { ChatMessage, ChatRequest } from '../../src/wire/openai.ts';
import type { Json } from './json.ts';
import { othersCan } from './topics.ts';
import { boxesIn, readResult, type Result } from './tool-result.ts';

/** Something that was asked, what tools gave for it, and what was answered. */
export interface Exchange {
  readonly question: string;
  /** What could be asked of others, as whoever handed the question on says. */
  readonly others: string;
  /** Parts of documents that were sent along. */
  readonly passages: readonly Passage[];
  readonly results: readonly Result[];
  readonly answer: string;
}

export interface Passage {
  readonly title: string;
  readonly text: string;
}

export interface OfferedTool {
  /** What it is called here, with the name of its server in front if it has one. */
  readonly fullName: string;
  readonly description: string;
  readonly schema: Json;
}

/** A request as the rules look at it. */
export interface Situation extends Exchange {
  readonly system: string;
  /** Earlier exchanges, oldest first. */
  readonly earlier: readonly Exchange[];
  /** What may be called now, by the plain name. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** A tool that has to be called: this one, or `any`. */
  readonly mustCall?: string;
  /** The form the answer must have. */
  readonly schema?: Json;
}

const silence: Exchange = { question: '', others: '', passages: [], results: [], answer: '' };

export function situationOf(request: ChatRequest): Situation {
  const { messages, tool_choice: choice = 'auto', response_format: format } = request;
  const exchanges = exchangesIn(messages);
  const { question, others, passages, results, answer } = exchanges.at(-1) ?? silence;
  const schema =
    format?.type === 'json_schema'
      ? format.json_schema.schema
      : format?.type === 'json_object'
        ? { type: 'object' }
        : undefined;
  const mustCall =
    typeof choice === 'object' ? choice.function.name : choice === 'required' ? 'any' : undefined;
  return {
    system: leadingSystem(messages),
    earlier: exchanges.slice(0, -1),
    question,
    others,
    passages,
    results,
    answer,
    tools: choice === 'none' ? new Map() : offered(request.tools ?? []),
    ...(mustCall === undefined ? {} : { mustCall: plainName(mustCall) }),
    ...(schema === undefined ? {} : { schema }),
  };
}

/** A tool's own name, without that of the server or class it belongs to. */
export function plainName(name: string): string {
  return name.split(/__|\./).at(-1) ?? name;
}

function offered(tools: NonNullable<ChatRequest['tools']>): ReadonlyMap<string, OfferedTool> {
  return new Map(
    tools.map(({ function: { name, description = '', parameters = {} } }) => [
      plainName(name),
      { fullName: name, description, schema: parameters },
    ]),
  );
}

function leadingSystem(messages: readonly ChatMessage[]): string {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  return messages
    .slice(0, first === -1 ? messages.length : first)
    .map(contentOf)
    .join('\n\n');
}

interface Growing {
  question: string;
  others: string;
  passages: readonly Passage[];
  results: Result[];
  answer: string;
}

function exchangesIn(messages: readonly ChatMessage[]): Exchange[] {
  const exchanges: Growing[] = [];
  const calls = new Map<string, { readonly name: string; readonly given: string }>();
  for (const message of messages) {
    const current = exchanges.at(-1);
    if (message.role === 'user') hear(exchanges, contentOf(message));
    else if (message.role === 'assistant') {
      for (const { id, function: called } of message.tool_calls ?? [])
        calls.set(id, { name: called.name, given: called.arguments });
      if (current) current.answer = message.tool_calls ? '' : contentOf(message);
    } else if (message.role === 'tool') {
      const call = calls.get(message.tool_call_id);
      current?.results.push(readResult(plainName(call?.name ?? ''), contentOf(message), call?.given));
    } else if (current) {
      for (const { tool, body } of boxesIn(contentOf(message)))
        current.results.push(readResult(plainName(tool), body));
    }
  }
  return exchanges;
}

/** What is said before the last question was answered adds to that question. */
function hear(exchanges: Growing[], said: string): void {
  const last = exchanges.at(-1);
  const [words = '', documents = ''] = said.split(/\n\nPassages from documents [^\n]*:\n/);
  const [question = '', others = ''] = words.split(`\n\n${othersCan}\n`);
  const passages = passagesIn(documents);
  if (last && last.answer === '') last.question = `${last.question}\n\n${question}`;
  else exchanges.push({ question, others, passages, results: [], answer: '' });
}

/** Each begins with its number and its title. */
function passagesIn(text: string): Passage[] {
  return text
    .split(/^\[\d+\] /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return { title: title.trim(), text: lines.join('\n').trim() };
    });
}

function contentOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
