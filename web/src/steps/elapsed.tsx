import type { ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { formatIn } from '../format.ts';
import { isAway } from '../server.ts';
import { useLanguage } from '../texts/texts.ts';
import { useNow } from '../ticking.ts';

/** How long something has taken: it ticks while it works, and stands still while nobody knows. */
export function Elapsed({
  from,
  to,
  isWaiting = false,
}: {
  readonly from: number | undefined;
  readonly to?: number | undefined;
  readonly isWaiting?: boolean;
}): ReactNode {
  const format = formatIn(useLanguage());
  const away = useSource(isAway);
  const isTicking = from !== undefined && to === undefined && !away;
  const now = useNow(isTicking);
  if (from === undefined || (to === undefined && now === 0)) return undefined;
  const taken = Math.max(0, (to ?? now) - from);
  return <>{isWaiting ? format.countdown(taken) : format.duration(taken)}</>;
}
