import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatIn } from '../format.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { ticksOf, type Scale } from './pieces.ts';

/** Above the lines: what to look for, and the seconds. */
export function TraceHead({
  scale,
  text,
  setText,
  found,
  children,
}: {
  readonly scale: Scale;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly found: number | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  return (
    <div className="trace-head">
      <div className="trace-find">
        <Search className="icon small" aria-hidden />
        <input
          type="search"
          value={text}
          placeholder={t.trace.findHint}
          aria-label={t.trace.find}
          data-find
          onChange={(event) => setText(event.target.value)}
        />
        {found !== undefined && (
          <span className="quiet num" role="status">
            {t.trace.found(found)}
          </span>
        )}
        {children}
      </div>
      <div className="trace-axis" aria-hidden>
        {ticksOf(scale.length).map((tick) => (
          <span key={tick} style={{ left: `${(100 * tick) / scale.length}%` }}>
            {tick === 0 ? '0 s' : tick < 1_000 ? `${tick} ms` : format.duration(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}
