import type { ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { formatIn } from '../format.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import type { Work } from './work.ts';

/** What runs wait for longest, of what they call. */
export function SlowestTools({ work: { slowest, runs } }: { readonly work: Work }): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  if (slowest.length === 0) return undefined;
  const longest = Math.max(1, ...slowest.map(({ took }) => took));
  return (
    <section className="card home-card" aria-label={t.home.slowest}>
      <header>
        <h3>{t.home.slowest}</h3>
        <span className="quiet">{t.home.newest(runs)}</span>
      </header>
      <ul className="slowest num">
        {slowest.map(({ tool, took }) => (
          <li key={tool} data-tool={tool}>
            <span className="mono cut">{visible(tool)}</span>
            <span className="meter" aria-hidden>
              <i style={{ width: `${Math.max(3, (100 * took) / longest)}%` }} />
            </span>
            <span>{took < 1_000 ? `${format.count(Math.round(took))} ms` : format.duration(took)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
