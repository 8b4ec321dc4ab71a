import { createContext, useContext, type ReactNode } from 'react';
import { useSource } from '../../../src/react/react.ts';
import { formatIn } from '../format.ts';
import { isAway } from '../server.ts';
import { useLanguage } from '../texts/texts.ts';
import { useNow } from '../ticking.ts';

/** The moment that is shown, where that is not now. Milliseconds since 1970. */
export const MomentContext = createContext<number | undefined>(undefined);

interface Taken {
  readonly from: number | undefined;
  readonly to?: number | undefined;
  readonly isWaiting?: boolean;
}

/** How long something has taken: it ticks while it works, and stands still while nobody knows or another moment is shown. */
export function Elapsed({ from, to, isWaiting = false }: Taken): ReactNode {
  const format = formatIn(useLanguage());
  if (from === undefined) return undefined;
  if (to === undefined) return <Ticking from={from} isWaiting={isWaiting} />;
  return told(format, to - from, isWaiting);
}

function Ticking({ from, isWaiting }: { readonly from: number; readonly isWaiting: boolean }): ReactNode {
  const format = formatIn(useLanguage());
  const away = useSource(isAway);
  const moment = useContext(MomentContext);
  const now = useNow(moment === undefined && !away);
  const until = moment ?? now;
  return until === 0 ? undefined : told(format, until - from, isWaiting);
}

function told(format: ReturnType<typeof formatIn>, taken: number, isWaiting: boolean): string {
  const milliseconds = Math.max(0, taken);
  return isWaiting ? format.countdown(milliseconds) : format.duration(milliseconds);
}
