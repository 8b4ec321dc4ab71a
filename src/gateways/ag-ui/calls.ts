import { z } from 'zod';
import type { ContentPart, ToolCallResultEvent, ToolCallStartEvent } from '@ag-ui/core';
import type { Json } from '../../run/values.ts';
import type { AgentEvent, Turn } from '../gateway.ts';
import type { Stages } from './stages.ts';

interface Called {
  readonly start: ToolCallStartEvent;
  given: string;
  isOver: boolean;
}

const Status = z.object({ status: z.string() });

/**
 * The calls of an agent. One for a tool that was offered is asked of us; any other the agent runs itself, and it is shown.
 * What it leaves without a result it wants to have from somebody.
 */
export class Calls {
  readonly #stages: Stages;
  readonly #offered: ReadonlySet<string>;
  readonly #calls = new Map<string, Called>();

  constructor(stages: Stages, { tools = [] }: Turn) {
    this.#stages = stages;
    this.#offered = new Set(tools.map(({ name }) => name));
  }

  start(start: ToolCallStartEvent): readonly AgentEvent[] {
    const { toolCallId: call, toolCallName: tool } = start;
    this.#calls.set(call, { start, given: '', isOver: false });
    return this.#offered.has(tool) ? [{ type: 'call.appended', call, tool, text: '' }] : [];
  }

  give(id: string, text: string): readonly AgentEvent[] {
    const call = this.#calls.get(id);
    if (!call) return [];
    call.given += text;
    return this.#offered.has(call.start.toolCallName) ? [{ type: 'call.appended', call: id, text }] : [];
  }

  /** Now it is known what is called with what. */
  end(id: string): readonly AgentEvent[] {
    const call = this.#calls.get(id);
    if (!call || this.#offered.has(call.start.toolCallName) || this.#stages.has(nameOf(id))) return [];
    const { toolCallName: title, subagentRunId, metadata } = call.start;
    const query = call.given === '' || call.given === '{}' ? undefined : call.given;
    return this.#stages.open({
      name: nameOf(id),
      title,
      kind: 'call',
      query,
      within: [subagentRunId],
      metadata,
    });
  }

  result({ toolCallId: id, content, subagentRunId, metadata }: ToolCallResultEvent): readonly AgentEvent[] {
    const call = this.#calls.get(id);
    if (call) call.isOver = true;
    const name = nameOf(id);
    // What was called before a person was asked has its result after that.
    const late = { name, title: 'What a call brought', kind: 'call', within: [subagentRunId] };
    const opened = call ? this.end(id) : this.#stages.open(late);
    const stage = this.#stages.key(name);
    if (stage === undefined) return opened;
    const { status = 'completed' } = Status.safeParse(metadata).data ?? {};
    const hasFailed = status !== 'completed' && status !== 'reused';
    const brought =
      typeof content === 'string' ? textIn(stage, content) : content.flatMap((part) => partIn(stage, part));
    return [...opened, ...brought, ...this.#stages.close(name, hasFailed ? 'failed' : 'completed')];
  }

  /** What a call is given, where it can be read. */
  given(id: string | undefined): Json | undefined {
    const text = this.#calls.get(id ?? '')?.given;
    try {
      return text === undefined || text === '' ? undefined : (JSON.parse(text) as Json);
    } catch {
      return text;
    }
  }

  /** Those that nobody has run. */
  left(): { readonly events: readonly AgentEvent[]; readonly isAny: boolean } {
    const open = [...this.#calls].filter(([, { isOver }]) => !isOver);
    const events = open.flatMap(([call, { start, given: text }]): readonly AgentEvent[] => {
      const { toolCallName: tool } = start;
      if (this.#offered.has(tool)) return [];
      return [...this.#stages.close(nameOf(call), 'completed'), { type: 'call.appended', call, tool, text }];
    });
    return { events, isAny: open.length > 0 };
  }
}

/** Calls and agents may have the same name. */
export function nameOf(call: string): string {
  return `call ${call}`;
}

function textIn(stage: string, text: string): readonly AgentEvent[] {
  return text === '' ? [] : [{ type: 'stage.appended', stage, text: text.toWellFormed() }];
}

const wheres = { data: 'data', url: 'url', file: 'title' } as const;

function partIn(stage: string, part: ContentPart): readonly AgentEvent[] {
  if (part.type === 'text') return textIn(stage, part.text);
  const { source } = part;
  const type = source.mimeType ?? `${part.type === 'document' ? 'application' : part.type}/octet-stream`;
  // What only the agent's own provider can read is named, and not taken for an address.
  const where = { [wheres[source.type]]: source.value };
  return [{ type: 'stage.attached', stage, item: { kind: 'attachment', attachment: { type, ...where } } }];
}
