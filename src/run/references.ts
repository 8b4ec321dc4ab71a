import type { EventOf, RunEvent } from './events.ts';
import { isBlobRef, type Attachment, type BlobRef } from './values.ts';

/**
 * What an entry says is kept beside the journal. It is looked for where the engine puts references and nowhere else: what
 * only looks like one is somebody's own, and could name what another run has kept.
 */
export function referencesIn(event: RunEvent): readonly BlobRef[] {
  switch (event.type) {
    case 'run.started':
      return begunWith(event);
    case 'run.ended':
      return marked(event.answer);
    case 'step.opened':
      return marked(event.call?.arguments, ...attached(event.attachments));
    case 'step.started':
    case 'step.retried':
      return marked(event.call?.arguments);
    case 'prompt.recorded':
      return marked(event.blob);
    case 'item.attached':
      return event.item.kind === 'attachment' ? marked(event.item.attachment.blob) : [];
    case 'step.closed':
      return marked(event.result);
    case 'approval.requested': {
      const { exchange, attachments } = event;
      return marked(
        event.arguments,
        exchange?.asked,
        exchange?.answered,
        event.history,
        ...attached(attachments),
        ...saidIn(event),
      );
    }
    case 'approval.decided':
      return marked(event.arguments);
    case 'state.saved':
      return marked(event.state);
    case 'message.queued':
      return marked(...attached(event.attachments));
    case 'run.paused':
    case 'run.resumed':
    case 'worker.took':
    case 'stop.requested':
    case 'phase.entered':
    case 'step.planned':
    case 'title.appended':
    case 'text.appended':
    case 'notice.posted':
    case 'approval.lapsed':
    case 'approval.returned':
    case 'message.taken':
    case 'unknown':
      return [];
  }
}

function begunWith(event: EventOf<'run.started'>): BlobRef[] {
  const { text, data, attachments } = event.input;
  return marked(text, data, event.guarded, event.history, ...attached(attachments), ...saidIn(event));
}

function marked(...values: readonly unknown[]): BlobRef[] {
  return values.filter(isBlobRef);
}

function attached(attachments: readonly Attachment[] = []): (BlobRef | undefined)[] {
  return attachments.map(({ blob }) => blob);
}

/** Where what was said before stands in the entry itself, what hung on it. */
function saidIn({
  history,
}: {
  readonly history?: BlobRef | readonly { readonly attachments?: readonly Attachment[] }[];
}): (BlobRef | undefined)[] {
  return history === undefined || isBlobRef(history)
    ? []
    : history.flatMap((one) => attached(one.attachments));
}
