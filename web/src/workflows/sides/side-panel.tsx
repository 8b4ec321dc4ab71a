import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from '../../routing.tsx';
import { useTexts } from '../../texts/texts.ts';

interface SidePanelProps {
  readonly title: string;
  readonly hint: string;
  /** Where one is without it. */
  readonly away: string;
  readonly is: 'versions' | 'schedules';
  readonly children: ReactNode;
}

/** What stands beside the graph in place of the settings of a step. */
export function SidePanel({ title, hint, away, is, children }: SidePanelProps): ReactNode {
  const t = useTexts();
  return (
    <aside className="inspector-side" aria-label={title} data-side={is}>
      <header>
        <h2>{title}</h2>
        <span className="grow" />
        <Link to={away} className="button ghost small square" aria-label={t.data.close}>
          <X className="icon small" aria-hidden />
        </Link>
      </header>
      <p className="hint node-field">{hint}</p>
      {children}
    </aside>
  );
}
