import type { ReactNode } from 'react';
import { useLanguage, type Language } from '../../texts/texts.ts';
import { useWorkflowTexts } from '../../texts/workflow-texts.ts';

/** When a schedule comes next, by the clock of its own place. */
export function NextTimes({
  times,
  timezone,
}: {
  readonly times: readonly number[];
  readonly timezone: string;
}): ReactNode {
  const w = useWorkflowTexts();
  const language = useLanguage();
  if (times.length === 0) return undefined;
  const clock = clockOf(language, timezone);
  return (
    <div data-next-times={times.length}>
      <span className="lb">{w.schedule.next}</span>
      <ol className="next-times">
        {times.map((at) => (
          <li key={at}>
            <time className="num" dateTime={new Date(at).toISOString()}>
              {clock.format(at)}
            </time>
          </li>
        ))}
      </ol>
    </div>
  );
}

function clockOf(language: Language, timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : 'de-DE', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
}
