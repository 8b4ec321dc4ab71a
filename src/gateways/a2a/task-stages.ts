import { stageKind } from '../../run/own-kinds.ts';
import { isBlobRef, Item, type Json } from '../../run/values.ts';
import type { SaidInStep, TaskStep, TaskSteps } from '../../wire/a2a.ts';
import type { AgentEvent } from '../gateway.ts';

type Channel = SaidInStep['channel'];

interface Known {
  /** How much of what is said in it was told, by channel. */
  readonly told: Map<Channel, number>;
  readonly says: boolean;
  items: number;
  isClosed: boolean;
}

/** What was known of the steps when the turn before ended with a question. */
export interface StagesBefore {
  /** The last of them. */
  readonly seen: number;
  /** Those that had not ended: they go on. */
  readonly open: readonly number[];
}

const words = { content: 'text', reasoning: 'thinking', log: 'log' } as const;

/** The steps of a task of a Vitrine as stages, each told once. */
export class TaskStages {
  readonly #before: StagesBefore;
  readonly #known = new Map<number, Known>();
  /** Of those that were open before, what was said then is not said again. */
  readonly #open: ReadonlySet<number>;

  constructor(before: StagesBefore) {
    this.#before = before;
    this.#open = new Set(before.open);
  }

  /** All that are new are opened before any is closed: what is in a step that has ended began before that. */
  take({ steps, said }: TaskSteps): readonly AgentEvent[] {
    const told = steps.filter((step) => this.#isNew(step));
    return [
      ...told.flatMap((step) => this.#grown(step)),
      ...said.flatMap((one) => this.#said(one)),
      ...told.toReversed().flatMap((step) => this.#closed(step)),
    ];
  }

  /** Where the agent stands now; what is open is told again where it goes on. */
  suspend(): { readonly before: StagesBefore; readonly events: readonly AgentEvent[] } {
    const open = [...this.#known].flatMap(([id, { isClosed }]) => (isClosed ? [] : [id]));
    const seen = Math.max(this.#before.seen, ...this.#known.keys());
    const events = open
      .toReversed()
      .map((id) => ({ type: 'stage.closed', stage: nameOf(id), outcome: 'completed' }) as const);
    return { before: { seen, open }, events };
  }

  #isNew({ id, status }: TaskStep): boolean {
    return status !== 'pending' && (id > this.#before.seen || this.#open.has(id));
  }

  #grown(step: TaskStep): readonly AgentEvent[] {
    const known = this.#known.get(step.id);
    const { id } = step;
    if (known) return [...this.#written(step, known), ...attached(step, known)];
    const opened = { told: new Map(), says: step.says === true, items: 0, isClosed: false };
    const events: AgentEvent[] = [this.#opening(step)];
    this.#known.set(id, opened);
    if (!this.#open.has(id)) return [...events, ...this.#written(step, opened), ...attached(step, opened)];
    for (const [channel, field] of channels) opened.told.set(channel, step[field]?.length ?? 0);
    opened.items = step.items?.length ?? 0;
    return events;
  }

  #opening({ id, parent, title, kind = 'stage', agent, query, call }: TaskStep): AgentEvent {
    const given = query ?? (call && JSON.stringify(call.arguments));
    return {
      type: 'stage.opened',
      stage: nameOf(id),
      parent: this.#known.has(parent) ? nameOf(parent) : undefined,
      title,
      kind: stageKind(kind),
      agent,
      query: given === '{}' ? undefined : given,
    };
  }

  /** Of what is told whole, what was not told piece by piece. */
  #written(step: TaskStep, known: Known): readonly AgentEvent[] {
    return channels.flatMap(([channel, field]) => {
      const text = step[field] ?? '';
      const before = known.told.get(channel) ?? 0;
      return text.length > before ? this.#said({ id: step.id, channel, text: text.slice(before) }) : [];
    });
  }

  #said({ id, channel, text }: SaidInStep): readonly AgentEvent[] {
    const known = this.#known.get(id);
    if (!known || known.isClosed || text === '') return [];
    known.told.set(channel, (known.told.get(channel) ?? 0) + text.length);
    if (channel === 'arguments' || (known.says && channel === 'content')) return [];
    return [{ type: 'stage.appended', stage: nameOf(id), channel, text }];
  }

  #closed(step: TaskStep): readonly AgentEvent[] {
    const { id, status, failure } = step;
    const known = this.#known.get(id);
    if (!known || known.isClosed || !isOver(status)) return [];
    const result = resultOf(step, known);
    const why = failure === undefined ? '' : `${failure.message}\n`;
    const last = [
      ...this.#said({ id, channel: 'content', text: result }),
      ...this.#said({ id, channel: 'log', text: why }),
    ];
    known.isClosed = true;
    const outcome = status === 'failed' ? 'failed' : 'completed';
    return [...last, { type: 'stage.closed', stage: nameOf(id), outcome }];
  }
}

const channels = Object.entries(words) as [keyof typeof words, (typeof words)[keyof typeof words]][];

/** What a call gave, as text, unless it said so itself. */
function resultOf({ kind, call, result }: TaskStep, { told }: Known): string {
  if (kind !== 'call' || call === undefined || result === undefined || told.has('content')) return '';
  if (typeof result === 'string') return result;
  const given = result as Json;
  return isBlobRef(given) ? `${given.preview ?? ''}…` : JSON.stringify(given);
}

function attached({ id, items = [] }: TaskStep, known: Known): readonly AgentEvent[] {
  const more = items.slice(known.items).flatMap((one) => Item.safeParse(one).data ?? []);
  known.items = items.length;
  return more.map((item) => ({ type: 'stage.attached', stage: nameOf(id), item }));
}

function nameOf(id: number): string {
  return `s${id}`;
}

function isOver(status: string): boolean {
  return !['pending', 'running', 'waiting', 'paused'].includes(status);
}
