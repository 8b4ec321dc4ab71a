import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.ts';

const shown = ['queue', 'first', 'model', 'tool', 'person', 'reused', 'abandoned', 'critical'] as const;

/** What the looks of the bars mean. */
export function Key(): ReactNode {
  const t = useTexts();
  return (
    <div className="trace-key">
      {shown.map((is) => (
        <span key={is}>
          <i className={`bar-${is}`} aria-hidden />
          {t.trace.key[is]}
        </span>
      ))}
    </div>
  );
}
