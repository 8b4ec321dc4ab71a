import type { Kind } from '../../guards/guard.ts';
import type { EventOf, RunEvent } from '../../run/events.ts';
import type { Attachment, Item } from '../../run/values.ts';

/** Takes out of a value what must not pass. */
export type Clean = <T>(value: T) => T;

/**
 * An event as guards let it pass. They look at what it says to people and to models, and not at the names and keys by which
 * a run is taken up again. What people type into a run stays there as they typed it.
 */
export function guardedEvent(event: RunEvent, clean: Clean): RunEvent {
  switch (event.type) {
    case 'step.opened':
      // Stages of others bring names of their own, which may hold anything.
      return changed(
        event,
        event.origin === undefined ? openings : { ...openings, origin: whole, key: whole },
        clean,
      );
    case 'step.planned':
      return changed(event, { title: whole }, clean);
    case 'title.appended':
    case 'text.appended':
      return changed(event, { text: whole }, clean);
    case 'phase.entered':
    case 'step.retried':
    case 'approval.lapsed':
      return changed(event, { reason: whole }, clean);
    case 'item.attached':
      return changed(event, { item: guardedItem }, clean);
    case 'step.closed':
      return changed(event, { result: guardedResult, failure: guardedFailure }, clean);
    case 'run.ended':
      return changed(event, { answer: whole, failure: guardedFailure }, clean);
    case 'state.saved':
      return changed(event, { state: whole }, clean);
    case 'notice.posted':
      return event.code.startsWith('GUARD_') ? event : changed(event, { message: whole }, clean);
    case 'approval.requested':
      return changed(
        event,
        { title: whole, message: whole, exchange: whole, attachments: guardedAttachments },
        clean,
      );
    case 'run.started':
    case 'run.paused':
    case 'run.resumed':
    case 'worker.took':
    case 'stop.requested':
    case 'step.started':
    case 'prompt.recorded':
    case 'approval.decided':
    case 'approval.returned':
    case 'message.queued':
    case 'message.taken':
    case 'unknown':
      return event;
  }
}

type Guarded<Value> = (value: Value, clean: Clean) => Value;
type Fields<Event> = { readonly [Name in keyof Event]?: Guarded<NonNullable<Event[Name]>> };

function whole<T>(value: T, clean: Clean): T {
  return clean(value);
}

const openings: Fields<EventOf<'step.opened'>> = {
  title: whole,
  query: whole,
  reasoning: whole,
  attachments: guardedAttachments,
};

function guardedItem(item: Item, clean: Clean): Item {
  if (item.kind !== 'attachment') return but(item, ['kind', 'shape'], clean);
  const attachment = guardedAttachment(item.attachment, clean);
  return attachment === item.attachment ? item : { ...item, attachment };
}

function guardedAttachments(attachments: Attachment[], clean: Clean): Attachment[] {
  const guarded = attachments.map((one) => guardedAttachment(one, clean));
  return guarded.some((one, i) => one !== attachments[i]) ? guarded : attachments;
}

function guardedAttachment(attachment: Attachment, clean: Clean): Attachment {
  return but(attachment, ['type'], clean);
}

function guardedFailure<T extends object>(failure: T, clean: Clean): T {
  return but(failure, ['code'], clean);
}

/** How a turn ended is a word of ours. */
function guardedResult<T>(result: T, clean: Clean): T {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return clean(result);
  return but(result, 'finish' in result ? ['finish'] : [], clean);
}

/** All of it but some fields, which are names of ours. */
function but<T extends object>(value: T, names: readonly string[], clean: Clean): T {
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
  const cleaned = clean(rest);
  if (cleaned === rest) return value;
  const kept = Object.entries(value).filter(([name]) => names.includes(name));
  return { ...Object.fromEntries(kept), ...cleaned } as T;
}

function changed<Event extends RunEvent>(event: Event, fields: Fields<Event>, clean: Clean): Event {
  let guarded: Event | undefined;
  for (const [name, guard] of Object.entries(fields) as [keyof Event, Guarded<unknown>][]) {
    const value = event[name];
    if (value === undefined) continue;
    const cleaned = guard(value, clean);
    if (cleaned !== value) guarded = { ...(guarded ?? event), [name]: cleaned };
  }
  return guarded ?? event;
}

/** What is told of a finding: what it is, and never the value. */
export function guardNotice(
  step: number,
  { guard, category, action, isFailure }: Kind,
): EventOf<'notice.posted'> {
  const type = 'notice.posted';
  if (isFailure)
    return {
      type,
      step,
      code: 'GUARD_BLOCKED',
      message: `The guard «${guard}» failed, so nothing it should have looked at is told.`,
    };
  if (action === 'block')
    return {
      type,
      step,
      code: 'GUARD_BLOCKED',
      message: `The guard «${guard}» ended this text: it found «${category}».`,
    };
  return {
    type,
    step,
    code: 'GUARD_REDACTED',
    message: `The guard «${guard}» found «${category}»; «[${category}]» stands in its place.`,
  };
}
