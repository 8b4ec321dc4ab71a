import type { AgentEvent } from '../../gateways/gateway.ts';
import type { Attachment } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { isLarge, keepAttachment } from './large.ts';

type Attaching = Extract<AgentEvent, { type: 'item.attached' | 'stage.attached' }>;

/** Whether one of these events attaches what an entry cannot carry itself. */
export function hasLargeItem(events: readonly AgentEvent[]): boolean {
  return events.some((event) => isAttaching(event) && isLarge(attachmentOf(event)?.data ?? ''));
}

/** The same events, with references in place of what is large. */
export function withKeptItems(
  execution: Execution,
  events: readonly AgentEvent[],
): Promise<readonly AgentEvent[]> {
  return Promise.all(
    events.map(async (event) => {
      const attachment = isAttaching(event) ? attachmentOf(event) : undefined;
      if (!isAttaching(event) || !attachment) return event;
      return {
        ...event,
        item: { kind: 'attachment', attachment: await keepAttachment(execution, attachment) },
      };
    }),
  );
}

function isAttaching(event: AgentEvent): event is Attaching {
  return event.type === 'item.attached' || event.type === 'stage.attached';
}

function attachmentOf({ item }: Attaching): Attachment | undefined {
  return item.kind === 'attachment' ? item.attachment : undefined;
}
