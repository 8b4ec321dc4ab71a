import type { ReactNode } from 'react';
import { StatusMark } from '../steps/status-mark.tsx';
import { useTexts } from '../texts/texts.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';

const shown = ['completed', 'running', 'waiting', 'failed', 'skipped', 'pending'] as const;

/** What the marks of nodes mean. */
export function Legend(): ReactNode {
  const t = useTexts();
  const w = useWorkflowTexts();
  return (
    <ul className="flow-legend" aria-label={w.live.legend}>
      {shown.map((status) => (
        <li key={status} className={`state-word ${status}`}>
          <StatusMark status={status} />
          {t.status[status]}
        </li>
      ))}
    </ul>
  );
}
