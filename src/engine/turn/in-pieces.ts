import type { AgentEvent } from '../../gateways/gateway.ts';
import type { Clock } from '../time/clock.ts';

/** So much of what one chunk brought is taken at once: characters, and events. */
const characters = 16 * 1024;
const most = 32;

/** Whether there is enough of a stream. */
type Take = (events: readonly AgentEvent[]) => boolean;

/** Takes what a chunk brought at once, unless that is much: then one event after the other, and others are served in between. */
export function inPieces(
  clock: Pick<Clock, 'breather'>,
  signal: AbortSignal,
  take: Take,
): (events: readonly AgentEvent[]) => boolean | Promise<boolean> {
  // One for the whole stream: a flood is no short work because each of its chunks is.
  const breathe = clock.breather();
  const takeMuch = async (events: readonly AgentEvent[]): Promise<boolean> => {
    for (const event of shortEvents(events)) {
      if (take([event])) return true;
      await breathe();
      if (signal.aborted) break;
    }
    return false;
  };
  return (events) => (isMuch(events) ? takeMuch(events) : take(events));
}

function isMuch(events: readonly AgentEvent[]): boolean {
  if (events.length > most) return true;
  let size = 0;
  for (const event of events) if ('text' in event) size += event.text.length;
  return size > characters;
}

/** The same events, none of them long: a text may be cut anywhere. */
function* shortEvents(events: readonly AgentEvent[]): Generator<AgentEvent> {
  for (const event of events) {
    if (!('text' in event) || event.text.length <= characters) yield event;
    else for (const text of piecesOf(event.text)) yield { ...event, text };
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const code = text.charCodeAt(from + characters - 1);
    // Half a pair says nothing by itself.
    const to = from + characters + (code >= 0xd800 && code <= 0xdbff ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}
