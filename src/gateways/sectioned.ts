import { readSections } from '../wire/sectioned-text.ts';
import type { AgentEvent, Gateway } from './gateway.ts';

/**
 * An agent that answers in sections (`---QUERY---`, `---RESULTS---`, …): its text is told as it comes, and what it
 * describes (graphs, tables, documents, citations) is attached when it is whole.
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
        yield isOver ? [...itemsIn(text, agent), ...events] : events;
      }
    },
  };
}

function itemsIn(text: string, agent: string): AgentEvent[] {
  return (readSections(text, agent)?.items ?? []).map((item) => ({ type: 'item.attached', item }));
}
