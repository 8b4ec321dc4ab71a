import { useMemo, type ReactNode } from 'react';
import type { RunStore } from '../../../src/client/client.ts';
import { formatIn } from '../format.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { eventsOf } from './step-events.ts';

/** The most lines that are shown. */
const most = 400;

/** What happened, each a way to that moment. */
export function EventList({
  run,
  step,
  at,
  seek,
}: {
  readonly run: RunStore;
  readonly step: number;
  readonly at: number;
  readonly seek: (at: number) => void;
}): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const entries = run.entries();
  const groups = useMemo(() => eventsOf(entries, step, at), [entries, step, at]);
  const begin = entries[0]?.at ?? 0;
  if (groups.length === 0) return <p className="quiet">{t.trace.noEvents}</p>;
  return (
    <ul className="events">
      {groups.length > most && <li className="quiet">{t.trace.earlier(groups.length - most)}</li>}
      {groups.slice(-most).map(({ first, last, many }) => (
        <li key={first.seq}>
          <button type="button" onClick={() => seek(last.seq)} data-event={last.seq}>
            <span className="quiet num">#{first.seq}</span>
            <span className="quiet num">{format.duration(first.at - begin)}</span>
            <span className="mono cut">
              {first.event.type === 'unknown' ? first.event.kind : first.event.type}
              {many > 1 ? ` ×${many}` : ''}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
