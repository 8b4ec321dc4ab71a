import type {
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
} from '@ai-sdk/provider';
import { RunError } from '../../run/failure.ts';
import { CallIds } from '../chat/calls.ts';
import type { AgentEvent, Turn } from '../gateway.ts';

type InputStart = Extract<LanguageModelV4StreamPart, { type: 'tool-input-start' }>;

interface OpenCall {
  readonly id: string;
  readonly tool: string;
  /** The provider runs it itself, so it is shown as a stage and never run by us. */
  readonly isTheirs: boolean;
  /** Its pieces are not JSON; only the whole is. */
  readonly isHeld: boolean;
  text: string;
}

/** The calls of one turn. A provider streams the arguments and then repeats them whole; they are told once. */
export class AiSdkCalls {
  readonly #ids: CallIds;
  readonly #limit: number;
  readonly #open = new Map<string, OpenCall>();
  #count = 0;

  constructor(turn: Turn, limit: number) {
    this.#ids = new CallIds(turn);
    this.#limit = limit;
  }

  start({ id, toolName, title, inputEncoding, providerExecuted = false }: InputStart): AgentEvent[] {
    const call: OpenCall = {
      id: this.#ids.give(id, this.#count),
      tool: toolName,
      isTheirs: providerExecuted,
      isHeld: inputEncoding === 'text',
      text: '',
    };
    this.#count += 1;
    this.#open.set(id, call);
    if (call.isTheirs)
      return [{ type: 'stage.opened', stage: call.id, kind: 'call', title: title ?? toolName }];
    return [{ type: 'call.appended', call: call.id, tool: toolName, text: '' }];
  }

  append(id: string, text: string): AgentEvent[] {
    const call = this.#open.get(id);
    if (call === undefined) return [malformed(`a piece of a call ${id} that was never begun`)];
    call.text += text;
    if (call.text.length > this.#limit) {
      throw new RunError(
        'too-large',
        `The arguments for ${call.tool} are longer than ${this.#limit} characters.`,
      );
    }
    return call.isHeld ? [] : tell(call, text);
  }

  complete(part: LanguageModelV4ToolCall): AgentEvent[] {
    const { toolCallId: id, toolName, input, providerExecuted = false } = part;
    const known = this.#open.get(id);
    const begun =
      known === undefined ? this.start({ type: 'tool-input-start', id, toolName, providerExecuted }) : [];
    const call = this.#open.get(id);
    // A second call with this id is another call; what the provider runs itself still waits for its result.
    if (!providerExecuted) this.#open.delete(id);
    if (call === undefined) return begun;
    const rest = call.isHeld
      ? input
      : input.startsWith(call.text)
        ? input.slice(call.text.length)
        : undefined;
    if (rest !== undefined) return [...begun, ...tell(call, rest.toWellFormed())];
    return isJson(call.text)
      ? begun
      : [...begun, malformed(`arguments for ${toolName} that differ from what it streamed`)];
  }

  result({
    toolCallId: id,
    result,
    isError = false,
    preliminary = false,
  }: LanguageModelV4ToolResult): AgentEvent[] {
    const call = this.#open.get(id);
    if (call === undefined) return [malformed(`a result of a call ${id} that was never begun`)];
    if (preliminary) return [];
    this.#open.delete(id);
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    return [
      { type: 'stage.appended', stage: call.id, text },
      { type: 'stage.closed', stage: call.id, outcome: isError ? 'failed' : 'completed' },
    ];
  }
}

export function malformed(what: string): AgentEvent {
  return { type: 'notice.posted', code: 'UPSTREAM_MALFORMED', message: `The provider sent ${what}.` };
}

function tell({ id, isTheirs }: OpenCall, text: string): AgentEvent[] {
  if (text === '') return [];
  if (isTheirs) return [{ type: 'stage.appended', stage: id, text, channel: 'arguments' }];
  return [{ type: 'call.appended', call: id, text }];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
