import {
  Check,
  Circle,
  CircleDashed,
  CirclePause,
  CircleX,
  Hand,
  RefreshCw,
  Redo2,
  Square,
  Zap,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { FlatStep, FlatTree } from '../../../src/client/client.ts';

/** What a row can say of how it stands. */
export type Status = FlatStep['status'] | FlatTree['status'] | 'lost';

const icons: Readonly<Record<Exclude<Status, 'running'>, LucideIcon>> = {
  pending: Circle,
  waiting: Hand,
  paused: CirclePause,
  completed: Check,
  failed: CircleX,
  skipped: Redo2,
  stopped: Square,
  reused: RefreshCw,
  abandoned: CircleDashed,
  lost: Zap,
};

/** Round marks are states. The word for it stands beside, or in the name of what it marks. */
export function StatusMark({ status }: { readonly status: Status }): ReactNode {
  if (status === 'running')
    return (
      <svg className="icon mark running spin" viewBox="0 0 16 16" fill="none" aria-hidden>
        <circle cx="8" cy="8" r="5.75" stroke="var(--accent-line)" />
        <path
          d="M8 2.25A5.75 5.75 0 0 1 13.75 8"
          stroke="currentColor"
          strokeWidth="2"
          strokeLinecap="round"
        />
      </svg>
    );
  const Icon = icons[status];
  return (
    <Icon
      className={`icon mark ${status}`}
      aria-hidden
      fill={status === 'stopped' ? 'currentColor' : 'none'}
    />
  );
}
