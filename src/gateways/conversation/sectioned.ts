import { z } from 'zod';
import { Json, type Item } from '../../run/values.ts';
import { readSections } from '../../wire/sectioned-text.ts';
import type { AgentEvent, Gateway } from '../gateway.ts';

/**
 * An agent that answers in sections (`---QUERY---`, `---RESULTS---`, …): its text is told as it comes, and what it
 * describes (graphs, tables, documents, citations) is attached when it is whole. What it attaches as an action or a
 * chart becomes one.
 */
export function sectionedGateway(gateway: Gateway, agent: string): Gateway {
  return {
    ...gateway,
    async *takeTurn(turn, signal) {
      let text = '';
      for await (const events of gateway.takeTurn(turn, signal)) {
        for (const event of events) {
          if (event.type === 'turn.retried') text = '';
          if (event.type === 'text.appended' && (event.channel ?? 'content') === 'content')
            text += event.text;
        }
        const isOver = events.some(({ type }) => type === 'turn.finished');
        yield [...(isOver ? itemsIn(text, agent) : []), ...events.map(understood)];
      }
    },
  };
}

function itemsIn(text: string, agent: string): AgentEvent[] {
  return (readSections(text, agent)?.items ?? []).map((item) => ({ type: 'item.attached', item }));
}

function understood(event: AgentEvent): AgentEvent {
  if (event.type !== 'item.attached' && event.type !== 'stage.attached') return event;
  return { ...event, item: meant(event.item) };
}

const Action = z.object({ is_action: z.literal(true), name: z.string(), action: Json });
const chartType = 'application/vnd.plotly.v1+json';

/** An attachment that says what it stands for. */
function meant(item: Item): Item {
  if (item.kind !== 'attachment' || item.attachment.data === undefined) return item;
  const { type, data } = item.attachment;
  if (type !== 'application/json' && type !== chartType) return item;
  const value = parsed(data);
  if (value === undefined) return item;
  if (type === chartType) return { kind: 'visualization', shape: 'chart', data: value };
  const action = Action.safeParse(value);
  return action.success ? { kind: 'action', name: action.data.name, data: action.data.action } : item;
}

function parsed(text: string): Json | undefined {
  try {
    return Json.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
